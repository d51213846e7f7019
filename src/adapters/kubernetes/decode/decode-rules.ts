// Decodes namespaces, disruption budgets, limit ranges, quotas and the pause ConfigMap.

import type {
  DisruptionBudgetRecord,
  LimitRangeRecord,
  LimitRequestRatio,
  NamespaceRecord,
  QuotaScope,
  ResourceQuotaRecord,
} from '../../../core/model/cluster-records.ts';
import type { CountOrPercent } from '../../../core/model/count-or-percent.ts';
import type { LabelSelector } from '#kube/label-selector';
import { UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';
import type { OwnRecord, PauseRecord } from '../../../ports/cluster/cluster-feed.ts';
import { metadataOf, requireOneOf } from './decode-metadata.ts';
import { optionalResources } from './decode-quantities.ts';
import type { Interner } from './interner.ts';
import { objectAt, objectsAt, optionalObjectAt, requiredTextAt, textAt, textsByKeyAt, WireError, type Wire } from '../wire.ts';

/** Decodes a Namespace. @throws WireError */
export function readNamespace(wire: Wire, interner: Interner): NamespaceRecord {
  const { name, labels, deletionAt } = metadataOf(wire, interner);
  return { name: interner.text(name), labels, deletionAt };
}

/** Decodes a PodDisruptionBudget. @throws WireError */
export function readDisruptionBudget(wire: Wire, interner: Interner): DisruptionBudgetRecord {
  const { namespace, name } = metadataOf(wire, interner);
  const spec = objectAt(wire, 'spec');
  const selector = optionalObjectAt(spec, 'selector', 'spec.selector');
  return {
    namespace,
    name,
    selector: selector === null ? null : readSelector(selector, 'spec.selector'),
    minAvailable: countOrPercentAt(spec, 'minAvailable'),
    maxUnavailable: countOrPercentAt(spec, 'maxUnavailable'),
  };
}

/** 0 and 0 % are valid, unlike in Evenkeel's policies. */
function countOrPercentAt(spec: Wire, key: 'minAvailable' | 'maxUnavailable'): CountOrPercent | null {
  const value = spec[key];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return { kind: 'count', count: value };
  const [, percent] = (typeof value === 'string' ? /^(\d+)%$/.exec(value) : null) ?? [];
  if (percent === undefined) throw new WireError(`spec.${key}`, 'a count or a percentage', value);
  return { kind: 'percent', ratio: Number(percent) / 100 };
}

/** Rejects unknown operators: a partly understood selector would select the wrong pods. @throws WireError */
function readSelector(selector: Wire, path: string): LabelSelector {
  return {
    matchLabels: textsByKeyAt(selector, 'matchLabels', `${path}.matchLabels`),
    matchExpressions: objectsAt(selector, 'matchExpressions', `${path}.matchExpressions`).map((expression) => ({
      key: requiredTextAt(expression, 'key', `${path}.matchExpressions[].key`),
      operator: requireOneOf(
        textAt(expression, 'operator'),
        ['In', 'NotIn', 'Exists', 'DoesNotExist'],
        `${path}.matchExpressions[].operator`,
      ),
      values: valuesOf(expression, path),
    })),
  };
}

function valuesOf(expression: Wire, path: string): readonly string[] {
  const values = expression['values'];
  if (values === undefined || values === null) return [];
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
    throw new WireError(`${path}.matchExpressions[].values`, 'a list of strings', values);
  }
  return values;
}

/** Decodes a LimitRange. Of several items of a type the strictest values apply. @throws WireError */
export function readLimitRange(wire: Wire, interner: Interner): LimitRangeRecord {
  const { namespace, name } = metadataOf(wire, interner);
  let min = UNSET_RESOURCES;
  let max = UNSET_RESOURCES;
  let podMin = UNSET_RESOURCES;
  let podMax = UNSET_RESOURCES;
  let ratio = NO_RATIO;
  let podRatio = NO_RATIO;
  for (const item of objectsAt(objectAt(wire, 'spec'), 'limits', 'spec.limits')) {
    const itemMin = optionalResources(objectAt(item, 'min'), 'spec.limits[].min');
    const itemMax = optionalResources(objectAt(item, 'max'), 'spec.limits[].max');
    if (item['type'] === 'Pod') {
      podMin = strictest(podMin, itemMin, Math.max);
      podMax = strictest(podMax, itemMax, Math.min);
      podRatio = strictestRatio(podRatio, item);
    }
    if (item['type'] !== 'Container') continue;
    min = strictest(min, itemMin, Math.max);
    max = strictest(max, itemMax, Math.min);
    ratio = strictestRatio(ratio, item);
  }
  const ofPods = {
    ...(podMin === UNSET_RESOURCES ? {} : { podMin }),
    ...(podMax === UNSET_RESOURCES ? {} : { podMax }),
    ...(podRatio.cpu === null && podRatio.memory === null ? {} : { podMaxLimitRequestRatio: podRatio }),
  };
  return { namespace, name, min, max, maxLimitRequestRatio: ratio, ...ofPods };
}

const NO_RATIO: LimitRequestRatio = { cpu: null, memory: null };

function strictestRatio(ratio: LimitRequestRatio, item: Wire): LimitRequestRatio {
  const ratios = objectAt(item, 'maxLimitRequestRatio');
  return {
    cpu: stricter(ratio.cpu, ratioOf(ratios, 'cpu'), Math.min),
    memory: stricter(ratio.memory, ratioOf(ratios, 'memory'), Math.min),
  };
}

function strictest(a: OptionalResources, b: OptionalResources, of: (a: number, b: number) => number): OptionalResources {
  return { cpuMillicores: stricter(a.cpuMillicores, b.cpuMillicores, of), memoryBytes: stricter(a.memoryBytes, b.memoryBytes, of) };
}

function stricter(a: number | null, b: number | null, of: (a: number, b: number) => number): number | null {
  return a === null ? b : b === null ? a : of(a, b);
}

// A ratio is a quantity in JSON; thousandths are precise enough.
function ratioOf(ratios: Wire, resource: 'cpu' | 'memory'): number | null {
  const thousandths = optionalResources({ cpu: ratios[resource] }, `spec.limits[].maxLimitRequestRatio.${resource}`).cpuMillicores;
  return thousandths === null ? null : thousandths / 1000;
}

/** Decodes a ResourceQuota. `cpu` and `memory` mean `requests.cpu` and `requests.memory`. @throws WireError */
export function readQuota(wire: Wire, interner: Interner): ResourceQuotaRecord {
  const { namespace, name } = metadataOf(wire, interner);
  const status = objectAt(wire, 'status');
  const hard = optionalObjectAt(status, 'hard', 'status.hard') ?? objectAt(objectAt(wire, 'spec'), 'hard', 'spec.hard');
  const used = objectAt(status, 'used', 'status.used');
  return {
    namespace,
    name,
    hardRequests: requestsOf(hard, 'hard'),
    hardLimits: optionalResources(hard, 'hard', 'limits.cpu', 'limits.memory'),
    usedRequests: requestsOf(used, 'used'),
    usedLimits: optionalResources(used, 'used', 'limits.cpu', 'limits.memory'),
    ...scoped(scopesOf(objectAt(wire, 'spec'))),
  };
}

/** Scopes that contain every long-running pod with requests. */
const COMMON_SCOPES: ReadonlySet<unknown> = new Set(['NotTerminating', 'NotBestEffort']);

function scoped(scopes: readonly QuotaScope[]): Pick<ResourceQuotaRecord, 'excludesSomePods' | 'scopes'> {
  if (scopes.length === 0) return {};
  return scopes.some(({ name }) => !COMMON_SCOPES.has(name)) ? { excludesSomePods: true, scopes } : { scopes };
}

function scopesOf(spec: Wire): readonly QuotaScope[] {
  const { scopes } = spec;
  const named = Array.isArray(scopes) ? (scopes as unknown[]) : [];
  const selected = objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions', 'spec.scopeSelector.matchExpressions');
  return [
    ...named.map((name) => ({ name: String(name), operator: 'Exists', values: [] })),
    ...selected.map((expression) => ({
      name: textAt(expression, 'scopeName'),
      operator: textAt(expression, 'operator'),
      values: valuesOf(expression, 'spec.scopeSelector'),
    })),
  ];
}

function requestsOf(list: Wire, path: string): ResourceQuotaRecord['hardRequests'] {
  const long = optionalResources(list, path, 'requests.cpu', 'requests.memory');
  const short = optionalResources(list, path);
  return {
    cpuMillicores: stricter(long.cpuMillicores, short.cpuMillicores, Math.min),
    memoryBytes: stricter(long.memoryBytes, short.memoryBytes, Math.min),
  };
}

/** Decodes a custom resource of Evenkeel, complete except for managedFields; its CRD's schema has validated it. @throws WireError */
export function customResourceReader(plural: string): (wire: Wire, interner: Interner) => OwnRecord {
  return (wire, interner) => {
    const { namespace, name } = metadataOf(wire, interner);
    const { managedFields: _, ...metadata } = objectAt(wire, 'metadata');
    return { plural, namespace: namespace === '' ? null : namespace, name, object: { ...wire, metadata } };
  };
}

/** Decodes the pause ConfigMap. A malformed `until` pauses without an end, since its author meant to stop Evenkeel. */
export function readPause(wire: Wire): PauseRecord {
  const data = objectAt(wire, 'data');
  const untilText = data['until'];
  const until = typeof untilText === 'string' && untilText.trim() !== '' ? Date.parse(untilText) : Number.NaN;
  const reason = data['reason'];
  const uid = textAt(objectAt(wire, 'metadata'), 'uid');
  return { until: Number.isNaN(until) ? null : until, reason: typeof reason === 'string' ? reason : '', uid };
}
