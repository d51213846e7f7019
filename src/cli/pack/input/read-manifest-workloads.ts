// Pods of Kubernetes manifests: pods themselves, workloads with as many pods as they have replicas, DaemonSets, and storage.

import type { Amounts } from '#kube/amounts';
import type { Labels } from '#kube/label-selector';
import { claimsOf, type ClaimTemplate } from '#kube/pod-spec/pod-volumes';
import { readSchedulingRules, type SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import { MiB } from '#kube/units';
import {
  numberAt,
  objectAt,
  objectsAt,
  optionalObjectAt,
  optionalNumberAt,
  optionalTextAt,
  textAt,
  textsByKeyAt,
  type Wire,
  WireError,
} from '#kube/wire';
import type { PodDemand } from '../../../core/packing/packing-problem.ts';
import type { DaemonDemand } from '../../../core/packing-rules/daemon-sets.ts';
import { goesWithNode, type PodPlace } from '../../../core/packing-rules/fix-nodes.ts';
import { labelKeysOf, type PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import type { ClaimNeed, ManifestStorage } from '../../../core/packing-rules/volume-reach.ts';
import { type ManifestObject, objectsIn } from '../../read-manifests.ts';
import { podLabelsOf } from './workloads/controller-labels.ts';
import { memoryProblem } from './memory-limit.ts';
import { amountProblems, GPU, packedAmounts, quantityProblems, requestsOf } from './pod-quantities.ts';
import { PriorityClasses, type StatedPriority } from './priority-classes.ts';
import { StorageReader } from './read-storage.ts';
import { unsupportedRules } from './workload-rules.ts';
import { ownedNotes, withoutOwned } from './workloads/owned-objects.ts';
import { RuntimeClasses } from './workloads/runtime-classes.ts';
import { enumProblems } from './workloads/spec-enums.ts';
import { isOfKnownGroup, otherGroupNotes, type PodTemplate, podTemplateOf } from './workloads/workload-kinds.ts';

/** Phases of pods that hold no resources. */
const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);
/** A number of replicas above is a mistake. */
const MAX_REPLICAS = 1_000_000;

/** A workload, a single pod or a DaemonSet. */
export interface ManifestWorkload {
  /** With its namespace, where the manifest has one. */
  readonly name: string;
  /** Of the names of its pods: with the kind where a workload of another kind has the same name. */
  readonly podPrefix: string;
  readonly kind: string;
  readonly line: number;
  /** Pods; of a DaemonSet 0. */
  readonly count: number;
  /** Number of the first pod. */
  readonly firstOrdinal: number;
  readonly namespace: string;
  /** Labels of its pods. */
  readonly labels: Labels;
  readonly rules: SchedulingRules;
  readonly size: Pick<PodDemand, 'cpuMillicores' | 'memoryMib' | 'gpus'>;
  /** What the scheduler counts, memory in bytes. */
  readonly requests: Amounts;
  readonly priority: number;
  /** Claims of a pod by its name; null: none. */
  readonly claimsOf: ((pod: string) => readonly ClaimNeed[]) | null;
  /** Where it runs; null: on no node, or on one that is not asked for. */
  readonly place: PodPlace | null;
  /** Of a pod on a node: rules that a packing does not understand. Of others they are problems. */
  readonly unsupported: readonly string[];
}

/** Where a Pod runs; `not-packed`: it is left out. */
export type FindPlace = (object: ManifestObject) => PodPlace | 'not-packed' | null;

/** A workload whose PriorityClass may follow in the file. */
interface UnrankedWorkload extends Omit<ManifestWorkload, 'priority' | 'podPrefix'> {
  readonly stated: StatedPriority;
}

export interface ReadManifests {
  readonly workloads: readonly ManifestWorkload[];
  readonly daemonSets: readonly (ManifestWorkload & DaemonDemand)[];
  readonly storage: ManifestStorage;
  /** What is left out. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

/** Reads a file of manifests. @param shapes pools, whose labels rules may name */
export function readManifestWorkloads(source: string, text: string, shapes: readonly PoolShape[]): ReadManifests {
  const problems: string[] = [];
  const objects = objectsIn(source, text, problems);
  const known = objects.filter(isOfKnownGroup);
  try {
    const counted = withoutOwned(known);
    const read = readWorkloadObjects(source, counted, shapes, { problems, findPlace: () => null });
    return { ...read, notes: [...otherGroupNotes(objects), ...ownedNotes(known.length - counted.length), ...read.notes] };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return {
      workloads: [],
      daemonSets: [],
      storage: new StorageReader(),
      notes: [],
      problems: [...problems, `${source}: ${error.message}`],
    };
  }
}

/** Reads objects. @param context with problems of the objects, to which others are added */
export function readWorkloadObjects(
  source: string,
  objects: readonly ManifestObject[],
  shapes: readonly PoolShape[],
  { problems, findPlace }: { readonly problems: string[]; readonly findPlace: FindPlace },
): ReadManifests {
  const labelKeys = labelKeysOf(shapes);
  const found: UnrankedWorkload[] = [];
  const storage = new StorageReader();
  const runtimes = new RuntimeClasses();
  let gated = 0;
  const priorities = new PriorityClasses(shapes.some(({ maxNodes }) => maxNodes !== null));
  const tryRead = (object: ManifestObject, read: () => void): void => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      problems.push(`${object.source}: ${object.object.kind} ${nameOf(object)}: ${error.message}`);
    }
  };
  // First: pods need them, and may come before them.
  for (const object of objects) tryRead(object, () => runtimes.read(object.object));
  for (const object of objects) {
    tryRead(object, () => {
      if (storage.read(object.object.kind, object.object, { namespace: namespaceOf(object), name: object.object.metadata.name ?? '' }))
        return;
      if (priorities.read(object.object)) return;
      const place = object.object.kind === 'Pod' ? findPlace(object) : null;
      const workload = place === 'not-packed' ? null : workloadOf(object, labelKeys, { place, runtimes }, problems);
      if (workload === null) return;
      if (workload.rules.gates.length > 0 && workload.place === null) gated += workload.count;
      else found.push(workload);
    });
  }
  const tooMany = memoryProblem(
    source,
    found.reduce((sum, { count }) => sum + count, 0),
  );
  if (tooMany !== null) return { workloads: [], daemonSets: [], storage, notes: [], problems: [...problems, tooMany] };
  const kindsOf = new Map([...Map.groupBy(found, ({ name }) => name)].map(([name, same]) => [name, new Set(same.map(({ kind }) => kind))]));
  const ranked = found.map((workload): ManifestWorkload => {
    const { name, kind } = workload;
    const podPrefix = (kindsOf.get(name)?.size ?? 1) > 1 ? `${kind}/${name}` : name;
    const priority = priorities.priorityOf(workload.stated);
    if (priority === null) {
      problems.push(
        `${source}:${workload.line}: ${workload.kind} ${workload.name}: names the PriorityClass ${workload.stated.className}, which is not in the file, and pools have a max; add it`,
      );
    }
    return { ...workload, podPrefix, priority: priority ?? 0 };
  });
  const workloads = ranked.filter(({ kind }) => kind !== 'DaemonSet');
  const daemonSets = ranked.filter(({ kind }) => kind === 'DaemonSet').map((daemon) => ({ ...daemon, ...daemon.size }));
  return { workloads, daemonSets, storage, notes: gateNotes(gated), problems: [...problems, ...duplicateNames(source, workloads)] };
}

function gateNotes(pods: number): string[] {
  if (pods === 0) return [];
  return [`${pods === 1 ? '1 pod' : `${pods} pods`} with scheduling gates left out: kube-scheduler places none of them yet`];
}

/** Names of its pods. */
export function podNamesOf({ kind, name, podPrefix, count, firstOrdinal }: ManifestWorkload): string[] {
  if (kind === 'Pod') return [name];
  return Array.from({ length: count }, (_, pod) => `${podPrefix}-${pod + firstOrdinal}`);
}

function duplicateNames(source: string, workloads: readonly ManifestWorkload[]): string[] {
  const lineOf = new Map<string, number>();
  return workloads.flatMap((workload) =>
    podNamesOf(workload).flatMap((name) => {
      const first = lineOf.get(name);
      lineOf.set(name, first ?? workload.line);
      return first === undefined ? [] : [`${source}:${workload.line}: pod ${name} is also on line ${first}; names must be unique`];
    }),
  );
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
function workloadOf(
  manifest: ManifestObject,
  labelKeys: ReadonlySet<string>,
  { place: podPlace, runtimes }: { readonly place: PodPlace | null; readonly runtimes: RuntimeClasses },
  problems: string[],
): UnrankedWorkload | null {
  const { object, source } = manifest;
  const name = nameOf(manifest);
  const place = `${source}: ${object.kind} ${name}`;
  if (object.kind === 'CronJob') {
    problems.push(`${place}: has pods at some times alone; remove it, or give a Job with the parallelism that is to be packed`);
    return null;
  }
  const template = podTemplateOf(object.kind, object);
  if (template === null || (object.kind === 'Pod' && ENDED.has(textAt(objectAt(object, 'status'), 'phase')))) return null;
  const { count, pod } = template;
  if (!Number.isInteger(count) || count < 0 || count > MAX_REPLICAS) {
    problems.push(`${place}: the number of replicas is ${count}; it must be a whole number from 0 to ${MAX_REPLICAS}`);
    return null;
  }
  const admitted = admittedSpec(manifest, template, runtimes);
  if ('problem' in admitted) {
    problems.push(`${place}: ${admitted.problem}`);
    return null;
  }
  const { spec } = admitted;
  const namespace = namespaceOf(manifest);
  const stated = textsByKeyAt(objectAt(pod, 'metadata'), 'labels', 'metadata.labels');
  const labels = podLabelsOf({ kind: object.kind, id: `${namespace}/${name}`, name: object.metadata.name ?? '' }, stated);
  const { rules, pinnedNode } = readSchedulingRules(spec, { name: object.kind === 'Pod' ? (object.metadata.name ?? '') : '', labels });
  const amounts = requestsOf(spec);
  const unsupported = [
    ...pinProblems(pinnedNode, podPlace),
    ...(object.kind === 'DaemonSet' ? daemonProblems(rules, namespace, labelKeys) : unsupportedRules(rules, namespace, labelKeys)),
    ...amountProblems(amounts),
  ];
  const found = podPlace === null ? newPodProblems(spec, rules, unsupported) : quantityProblems(spec);
  problems.push(...found.map((problem) => `${place}: ${problem}`));
  if (found.length > 0) return null;
  return {
    name,
    kind: object.kind,
    line: Number(source.slice(source.lastIndexOf(':') + 1)),
    count,
    firstOrdinal: numberAt(objectAt(objectAt(object, 'spec'), 'ordinals', 'spec.ordinals'), 'start', 0, 'spec.ordinals.start'),
    namespace,
    labels,
    rules,
    size: sizeOf(amounts),
    requests: packedAmounts(amounts),
    claimsOf: claimNeedsOf(object, spec, rules.claims, namespace),
    place: podPlace,
    unsupported,
    stated: {
      priority: optionalNumberAt(spec, 'priority', 'spec.priority'),
      className: textAt(spec, 'priorityClassName', 'spec.priorityClassName'),
    },
  };
}

/** Problems of pods that are on no node. Gated ones are left out, whatever their rules. */
function newPodProblems(spec: Wire, { gates }: SchedulingRules, unsupported: readonly string[]): string[] {
  return gates.length > 0 ? [] : [...quantityProblems(spec), ...enumProblems(spec), ...unsupported];
}

/** The spec as the API server stores it, or why it is refused. A Pod with a uid comes from an API server, which has applied its RuntimeClass. */
function admittedSpec(
  { object }: ManifestObject,
  { pod, specPath }: PodTemplate,
  runtimes: RuntimeClasses,
): { readonly spec: Wire } | { readonly problem: string } {
  const spec = objectAt(pod, 'spec', specPath);
  if (objectsAt(spec, 'containers', `${specPath}.containers`).length === 0) {
    return { problem: `${specPath}.containers: is empty; add a container` };
  }
  if (object.kind === 'Pod') return textAt(objectAt(object, 'metadata'), 'uid') === '' ? runtimes.applyTo(spec) : { spec };
  if (textAt(spec, 'nodeName', `${specPath}.nodeName`) !== '') return { problem: `${specPath}.nodeName: names a node; remove it` };
  return runtimes.applyTo(spec);
}

/** Pods that go with their node, as those of DaemonSets do, are pinned to it. */
function pinProblems(pinnedNode: string | null, place: PodPlace | null): string[] {
  return pinnedNode === null || (place !== null && goesWithNode(place)) ? [] : ['has node affinity to a node by name; remove it'];
}

function sizeOf(amounts: Amounts): ManifestWorkload['size'] {
  // Exact: a whole number of bytes is a fraction of a MiB without a rest.
  return { cpuMillicores: amounts.get('cpu') ?? 0, memoryMib: (amounts.get('memory') ?? 0) / MiB, gpus: amounts.get(GPU) ?? 0 };
}

/** Host ports of DaemonSets are theirs on every node: no other pod may have one. */
function daemonProblems(rules: SchedulingRules, namespace: string, labelKeys: ReadonlySet<string>): string[] {
  const problems = unsupportedRules({ ...rules, ports: [] }, namespace, labelKeys);
  if (rules.affinity.length + rules.antiAffinity.length > 0 || rules.spread.some(({ hard }) => hard))
    problems.push('is a DaemonSet with rules between pods, which is not supported; remove them');
  return problems;
}

/** Claims of volumes, of templates of a StatefulSet, and of ephemeral volumes. */
function claimNeedsOf(object: Wire, spec: Wire, templates: readonly ClaimTemplate[], namespace: string): ManifestWorkload['claimsOf'] {
  const ofSet = objectsAt(objectAt(object, 'spec'), 'volumeClaimTemplates', 'spec.volumeClaimTemplates').map((template) => ({
    name: textAt(objectAt(template, 'metadata'), 'name', 'spec.volumeClaimTemplates[].metadata.name'),
    className: optionalTextAt(objectAt(template, 'spec'), 'storageClassName', 'spec.volumeClaimTemplates[].spec.storageClassName'),
  }));
  if (templates.length + ofSet.length === 0) return null;
  const ephemeralClasses = new Map<string, string | null>(
    objectsAt(spec, 'volumes', 'spec.volumes').flatMap((volume) => {
      const ephemeral = optionalObjectAt(volume, 'ephemeral', 'spec.volumes[].ephemeral');
      if (ephemeral === null) return [];
      const claim = objectAt(objectAt(ephemeral, 'volumeClaimTemplate'), 'spec');
      return [[`-${textAt(volume, 'name')}`, optionalTextAt(claim, 'storageClassName')] as const];
    }),
  );
  return (pod) => {
    const bare = pod.slice(pod.lastIndexOf('/') + 1);
    const uses = templates.map((template): ClaimNeed => {
      const [use] = claimsOf([template], bare);
      const name = use?.name ?? template.name;
      return template.ephemeral ? { namespace, name, createdWithClass: ephemeralClasses.get(template.name) ?? null } : { namespace, name };
    });
    return [
      ...uses,
      ...ofSet.map(({ name, className }): ClaimNeed => ({ namespace, name: `${name}-${bare}`, createdWithClass: className })),
    ];
  };
}
