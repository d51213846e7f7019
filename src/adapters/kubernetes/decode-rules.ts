// Small kinds that set rules for others: namespaces, disruption budgets, limit ranges, quotas, the kill switch.

import type {
  DisruptionBudgetRecord,
  LimitRangeRecord,
  LimitRequestRatio,
  NamespaceRecord,
  QuotaScope,
  ResourceQuotaRecord,
} from '../../core/model/cluster-records.ts';
import type { CountOrPercent } from '../../core/model/count-or-percent.ts';
import type { LabelSelector } from '#kube/label-selector';
import { UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';
import type { OwnRecord, PauseRecord } from '../../ports/cluster-feed.ts';
import { metadataOf, strictlyOneOf } from './decode-metadata.ts';
import { optionalResources } from './decode-quantities.ts';
import type { Interner } from './interner.ts';
import { objectAt, objectsAt, optionalObjectAt, requiredTextAt, textAt, textsByKeyAt, WireError, type Wire } from './wire.ts';

/** @throws WireError */
export function readNamespace(wire: Wire, interner: Interner): NamespaceRecord {
  const { name, labels, deletionAt } = metadataOf(wire, interner);
  return { name: interner.text(name), labels, deletionAt };
}

/** @throws WireError */
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

/** Unlike in a policy of ours, 0 and 0 % are allowed. */
function countOrPercentAt(spec: Wire, key: 'minAvailable' | 'maxUnavailable'): CountOrPercent | null {
  const value = spec[key];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return { kind: 'count', count: value };
  const [, percent] = (typeof value === 'string' ? /^(\d+)%$/.exec(value) : null) ?? [];
  if (percent === undefined) throw new WireError(`spec.${key}`, 'a count or a percentage', value);
  return { kind: 'percent', ratio: Number(percent) / 100 };
}

/** Refuses what it does not know: a selector that is half understood selects the wrong pods. @throws WireError */
function readSelector(selector: Wire, path: string): LabelSelector {
  return {
    matchLabels: textsByKeyAt(selector, 'matchLabels', `${path}.matchLabels`),
    matchExpressions: objectsAt(selector, 'matchExpressions', `${path}.matchExpressions`).map((expression) => ({
      key: requiredTextAt(expression, 'key', `${path}.matchExpressions[].key`),
      operator: strictlyOneOf(
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

/** Of several items of a type the tightest values count, as they all must hold. @throws WireError */
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
      podMin = tightest(podMin, itemMin, Math.max);
      podMax = tightest(podMax, itemMax, Math.min);
      podRatio = tightestRatio(podRatio, item);
    }
    if (item['type'] !== 'Container') continue;
    min = tightest(min, itemMin, Math.max);
    max = tightest(max, itemMax, Math.min);
    ratio = tightestRatio(ratio, item);
  }
  const ofPods = {
    ...(podMin === UNSET_RESOURCES ? {} : { podMin }),
    ...(podMax === UNSET_RESOURCES ? {} : { podMax }),
    ...(podRatio.cpu === null && podRatio.memory === null ? {} : { podMaxLimitRequestRatio: podRatio }),
  };
  return { namespace, name, min, max, maxLimitRequestRatio: ratio, ...ofPods };
}

const NO_RATIO: LimitRequestRatio = { cpu: null, memory: null };

function tightestRatio(ratio: LimitRequestRatio, item: Wire): LimitRequestRatio {
  const own = objectAt(item, 'maxLimitRequestRatio');
  return {
    cpu: tighter(ratio.cpu, ratioOf(own, 'cpu'), Math.min),
    memory: tighter(ratio.memory, ratioOf(own, 'memory'), Math.min),
  };
}

function tightest(a: OptionalResources, b: OptionalResources, of: (a: number, b: number) => number): OptionalResources {
  return { cpuMillicores: tighter(a.cpuMillicores, b.cpuMillicores, of), memoryBytes: tighter(a.memoryBytes, b.memoryBytes, of) };
}

function tighter(a: number | null, b: number | null, of: (a: number, b: number) => number): number | null {
  return a === null ? b : b === null ? a : of(a, b);
}

// A ratio is a quantity on the wire; thousandths are exact enough for it.
function ratioOf(ratios: Wire, resource: 'cpu' | 'memory'): number | null {
  const thousandths = optionalResources({ cpu: ratios[resource] }, `spec.limits[].maxLimitRequestRatio.${resource}`).cpuMillicores;
  return thousandths === null ? null : thousandths / 1000;
}

/** `cpu` and `memory` in a quota mean the same as `requests.cpu` and `requests.memory`. @throws WireError */
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

/** Scopes that every pod is in that runs for good and asks for anything. */
const USUAL_SCOPES: ReadonlySet<unknown> = new Set(['NotTerminating', 'NotBestEffort']);

function scoped(scopes: readonly QuotaScope[]): Pick<ResourceQuotaRecord, 'excludesSomePods' | 'scopes'> {
  if (scopes.length === 0) return {};
  return scopes.some(({ name }) => !USUAL_SCOPES.has(name)) ? { excludesSomePods: true, scopes } : { scopes };
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
    cpuMillicores: tighter(long.cpuMillicores, short.cpuMillicores, Math.min),
    memoryBytes: tighter(long.memoryBytes, short.memoryBytes, Math.min),
  };
}

/** An object of ours, whole but for what only the server needs: its CRD's schema has checked it. @throws WireError */
export function ownReader(plural: string): (wire: Wire, interner: Interner) => OwnRecord {
  return (wire, interner) => {
    const { namespace, name } = metadataOf(wire, interner);
    const { managedFields: _, ...metadata } = objectAt(wire, 'metadata');
    return { plural, namespace: namespace === '' ? null : namespace, name, object: { ...wire, metadata } };
  };
}

/** The kill switch. An unreadable value pauses: its author meant to stop Evenkeel. */
export function readPause(wire: Wire): PauseRecord {
  const data = objectAt(wire, 'data');
  const untilText = data['until'];
  const until = typeof untilText === 'string' && untilText.trim() !== '' ? Date.parse(untilText) : Number.NaN;
  const reason = data['reason'];
  return { until: Number.isNaN(until) ? null : until, reason: typeof reason === 'string' ? reason : '' };
}
