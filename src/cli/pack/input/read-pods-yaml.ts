// Pods of Kubernetes manifests: pods themselves, and workloads with as many pods as they have replicas.

import { addAmounts, type Amounts, readAmounts, roundUp, type Sums } from '#kube/amounts';
import { readOverhead, readWholeRequests, sumContainers } from '#kube/pod-spec/pod-amounts';
import { readSchedulingRules } from '#kube/pod-spec/scheduling-rules';
import { parseQuantity } from '#kube/quantity';
import { MiB } from '#kube/units';
import { numberAt, objectAt, objectsAt, textAt, textsByKeyAt, type Wire, WireError } from '#kube/wire';
import type { PodDemand } from '../../../core/packing/packing-problem.ts';
import { eligibleShapes } from '../../../core/packing-rules/eligible-shapes.ts';
import { labelKeysOf, type PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import { type ManifestObject, objectsIn } from '../../read-manifests.ts';
import { memoryProblem } from './memory-limit.ts';
import { MAX_CPU_MILLICORES, MAX_GPUS, MAX_MEMORY_MIB, type NamedPod, type ReadPods } from './read-pods-csv.ts';
import { groupsOf, unsupportedRules, type WorkloadRules } from './workload-rules.ts';

const GPU = 'nvidia.com/gpu';
/** What a pools file does not state, and no node of a cloud is short of first. */
const NOT_PACKED = new Set(['ephemeral-storage']);
/** Phases of pods that hold no resources. */
const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);
/** A number of replicas above is a mistake. */
const MAX_REPLICAS = 1_000_000;

/** Kinds with pods, and where their number and pod spec are. */
const KINDS: Readonly<Record<string, (object: Wire) => { readonly count: number; readonly pod: Wire }>> = {
  Pod: (object) => ({ count: 1, pod: object }),
  Deployment: (object) => workload(object, 'replicas'),
  StatefulSet: (object) => workload(object, 'replicas'),
  ReplicaSet: (object) => workload(object, 'replicas'),
  ReplicationController: (object) => workload(object, 'replicas'),
  Job: (object) => workload(object, 'parallelism'),
};

function workload(object: Wire, field: string): { readonly count: number; readonly pod: Wire } {
  const spec = objectAt(object, 'spec');
  return { count: numberAt(spec, field, 1, `spec.${field}`), pod: objectAt(spec, 'template', 'spec.template') };
}

interface Workload {
  readonly name: string;
  readonly kind: string;
  readonly line: number;
  readonly count: number;
  readonly demand: Pick<PodDemand, 'cpuMillicores' | 'memoryMib' | 'gpus'>;
  readonly rules: WorkloadRules;
}

/** Reads the pods of a file of manifests. */
export function readPodsYaml(source: string, text: string, shapes: readonly PoolShape[]): ReadPods {
  const labelKeys = labelKeysOf(shapes);
  const problems: string[] = [];
  const workloads: Workload[] = [];
  for (const object of objectsIn(source, text, problems)) {
    try {
      const found = workloadOf(object, labelKeys, problems);
      if (found !== null) workloads.push(found);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      problems.push(`${object.source}: ${nameOf(object)}: ${error.message}`);
    }
  }
  const place = ({ name, kind, line }: Workload): string => `${source}:${line}: ${kind} ${name}`;
  const tooMany = memoryProblem(
    source,
    workloads.reduce((sum, { count }) => sum + count, 0),
  );
  if (tooMany !== null) return { pods: [], problems: [...problems, tooMany] };
  const groups = groupsOf(workloads.map(({ rules }) => rules));
  const pods = workloads.flatMap((each, at): NamedPod[] => {
    const group = groups[at];
    if (group !== undefined && 'problem' in group) problems.push(`${place(each)}: ${group.problem}`);
    const allowed = eligibleShapes(each.rules.rules, shapes);
    if ('problem' in allowed) problems.push(`${place(each)}: ${allowed.problem}`);
    if (group === undefined || 'problem' in group || 'problem' in allowed) return [];
    const demand: PodDemand = {
      ...each.demand,
      machineTypes: allowed.shapes.length === shapes.length ? null : allowed.shapes,
      group: group.group,
    };
    if (each.kind === 'Pod') return [{ name: each.name, line: each.line, demand }];
    return Array.from({ length: each.count }, (_, pod) => ({ name: `${each.name}-${pod}`, line: each.line, demand }));
  });
  return { pods, problems: [...problems, ...duplicateNames(source, pods)] };
}

function duplicateNames(source: string, pods: readonly NamedPod[]): string[] {
  const lineOf = new Map<string, number>();
  return pods.flatMap(({ name, line }) => {
    const first = lineOf.get(name);
    lineOf.set(name, first ?? line);
    return first === undefined ? [] : [`${source}:${line}: pod ${name} is also on line ${first}; names must be unique`];
  });
}

function nameOf({ object }: ManifestObject): string {
  const { namespace, name, generateName } = object.metadata;
  return `${namespace === undefined ? '' : `${namespace}/`}${name ?? generateName ?? ''}`;
}

/** Where it would be without `--namespace`. */
function namespaceOf({ object }: ManifestObject): string {
  return object.metadata.namespace ?? 'default';
}

/** Null: the object has no pods, or the pod has ended. */
function workloadOf(manifest: ManifestObject, labelKeys: ReadonlySet<string>, problems: string[]): Workload | null {
  const { object, source } = manifest;
  const name = nameOf(manifest);
  const place = `${source}: ${object.kind} ${name}`;
  if (object.kind === 'DaemonSet' || object.kind === 'CronJob') {
    problems.push(`${place}: ${REFUSED_KINDS[object.kind]}`);
    return null;
  }
  const read = Object.hasOwn(KINDS, object.kind) ? KINDS[object.kind] : undefined;
  if (read === undefined || (object.kind === 'Pod' && ENDED.has(textAt(objectAt(object, 'status'), 'phase')))) return null;
  const { count, pod } = read(object);
  if (!Number.isInteger(count) || count < 0 || count > MAX_REPLICAS) {
    problems.push(`${place}: the number of replicas is ${count}; it must be a whole number from 0 to ${MAX_REPLICAS}`);
    return null;
  }
  const spec = objectAt(pod, 'spec');
  const labels = textsByKeyAt(objectAt(pod, 'metadata'), 'labels', 'metadata.labels');
  const { rules } = readSchedulingRules(spec, { name, labels });
  const before = problems.length;
  problems.push(
    ...[...quantityProblems(spec), ...unsupportedRules(rules, namespaceOf(manifest), labelKeys)].map((problem) => `${place}: ${problem}`),
  );
  const amounts = requestsOf(spec);
  problems.push(...amountProblems(amounts).map((problem) => `${place}: ${problem}`));
  if (problems.length > before) return null;
  return {
    name,
    kind: object.kind,
    line: Number(source.slice(source.lastIndexOf(':') + 1)),
    count,
    demand: {
      cpuMillicores: amounts.get('cpu') ?? 0,
      memoryMib: Math.ceil((amounts.get('memory') ?? 0) / MiB),
      gpus: amounts.get(GPU) ?? 0,
    },
    rules: { namespace: namespaceOf(manifest), labels, rules },
  };
}

const REFUSED_KINDS = {
  DaemonSet: 'runs on every node; remove it, and subtract its requests from alloc_cpu_milli and alloc_memory_mib of the pools',
  CronJob: 'has pods at some times alone; remove it, or give a Job with the parallelism that is to be packed',
} as const;

/** Requests of a pod; where a container has a limit alone, the API server takes it as the request. */
function requestsOf(spec: Wire): Amounts {
  const ofContainer = (container: Wire): Sums => {
    const resources = objectAt(container, 'resources');
    return new Map([...readAmounts(objectAt(resources, 'limits')), ...readAmounts(objectAt(resources, 'requests'))]);
  };
  const sums = sumContainers(spec, ofContainer, ofContainer);
  if (Object.keys(objectAt(spec, 'resources', 'spec.resources')).length > 0) {
    for (const [resource, amount] of readWholeRequests(spec)) sums.set(resource, amount);
  }
  return roundUp(addAmounts(sums, readOverhead(spec)));
}

function amountProblems(amounts: Amounts): string[] {
  const most: Readonly<Record<string, number>> = { cpu: MAX_CPU_MILLICORES, memory: MAX_MEMORY_MIB * MiB, [GPU]: MAX_GPUS };
  return [...amounts].flatMap(([resource, amount]) => {
    const limit = most[resource];
    if (limit !== undefined) return amount > limit ? [`requests more ${resource} than any machine has; check its unit`] : [];
    return amount === 0 || NOT_PACKED.has(resource) ? [] : [`requests ${resource}, which the pools do not state; remove the request`];
  });
}

/** Quantities that are not valid or negative. */
function quantityProblems(spec: Wire): string[] {
  const ofContainers = ['initContainers', 'containers'].flatMap((list) =>
    objectsAt(spec, list, `spec.${list}`).map((container, at) => ({ owner: container, path: `spec.${list}[${at}]` })),
  );
  const ofResources = [{ owner: spec, path: 'spec' }, ...ofContainers].flatMap(({ owner, path }) =>
    ['requests', 'limits'].map((kind) => ({ amounts: objectAt(objectAt(owner, 'resources'), kind), path: `${path}.resources.${kind}` })),
  );
  const all = [...ofResources, { amounts: objectAt(spec, 'overhead', 'spec.overhead'), path: 'spec.overhead' }];
  return all.flatMap(({ amounts, path }) =>
    Object.entries(amounts).flatMap(([resource, given]) => {
      const place = `${path}.${resource}`;
      if (typeof given !== 'string' && typeof given !== 'number') return [`${place}: must be a quantity such as 250m or 1Gi`];
      const parsed = parseQuantity(given);
      if (!parsed.ok) return [`${place}: ${JSON.stringify(given)} is not a quantity such as 250m or 1Gi`];
      return parsed.value.nano < 0n ? [`${place}: ${JSON.stringify(given)} is negative; it must be at least 0`] : [];
    }),
  );
}
