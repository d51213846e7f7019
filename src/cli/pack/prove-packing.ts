// Proves a packing of manifests by the filters of kube-scheduler: builds the nodes and pods that `--emit` names.

import type { Amounts } from '#kube/amounts';
import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import type { StorageView, VolumeClaim } from '#kube/scheduling/volumes/storage-model';
import { MiB } from '#kube/units';
import type { Packing } from '../../core/packing/packing.ts';
import { type ProofNode, type ProofShape, provePlacement } from '../../core/packing-proof/prove-placement.ts';
import { daemonTolerations, runsOn, withHeadroom } from '../../core/packing-rules/daemon-sets.ts';
import type { ItemPod } from '../../core/packing-rules/pod-items.ts';
import type { PoolShape } from '../../core/packing-rules/pool-shape.ts';
import { assignedNodes } from './assigned-nodes.ts';
import { GPU } from './input/pod-quantities.ts';
import type { PackInput } from './input/read-input.ts';
import type { ManifestWorkload } from './input/read-manifest-workloads.ts';
import type { ManifestFacts } from './input/read-pods-yaml.ts';

/** @throws Error where kube-scheduler would refuse a pod on its node: a fault of this program */
export function provePacking(input: PackInput, packing: Packing): void {
  const { facts } = input;
  if (facts === null) return;
  const kinds = new PodKinds(facts);
  const nodes = [...assignedNodes(input, packing)].map(({ name, shape, pods }): ProofNode => {
    return { name, shape, kinds: pods.flatMap((at) => (input.pods[at]?.item?.pods ?? []).map((pod) => kinds.kindOf(pod))) };
  });
  const shapes = input.pools.map((pool) => shapeOf(withHeadroom(pool, input.headroom), facts, kinds));
  const refused = provePlacement({ kinds: kinds.pods, shapes, nodes, storage: storageOf(facts, kinds.claims) });
  if (refused.length === 0) return;
  const named = refused
    .slice(0, 3)
    .map(({ kind, node, reasons }) => `pod ${kinds.pods[kind]?.name ?? ''} on ${node}: ${reasons.join(', ')}`);
  throw new Error(`the packing is wrong by the rules of the scheduler, and nothing was written: ${named.join('; ')}`);
}

/** Pods as kube-scheduler sees them: one for all pods of which the filters read the same. */
class PodKinds {
  readonly pods: SchedulingPod[] = [];
  readonly claims = new Map<string, VolumeClaim>();
  readonly #facts: ManifestFacts;
  readonly #kinds = new Map<string, number>();
  readonly #contents = new Map<number, string>();
  readonly #daemons = new Map<ManifestWorkload, number>();

  constructor(facts: ManifestFacts) {
    this.#facts = facts;
  }

  kindOf({ name, workload, claims }: ItemPod): number {
    const of = this.#facts.workloads[workload];
    if (of === undefined) throw new RangeError(`pod ${name} is of no workload`);
    const content = this.#contents.get(workload) ?? contentOf(of);
    this.#contents.set(workload, content);
    const key = claims.length === 0 ? content : `${content} ${claims.map((claim) => claim.name).join(' ')}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    for (const claim of claims) this.claims.set(`${claim.namespace}/${claim.name}`, claim);
    const kind = this.#add(of, name, claims);
    this.#kinds.set(key, kind);
    return kind;
  }

  kindOfDaemon(daemon: ManifestWorkload): number {
    const known = this.#daemons.get(daemon) ?? this.#add(daemon, `DaemonSet ${daemon.name}`, []);
    this.#daemons.set(daemon, known);
    return known;
  }

  #add({ namespace, labels, rules, requests, kind }: ManifestWorkload, name: string, claims: readonly VolumeClaim[]): number {
    this.pods.push({
      ...rules,
      ...(kind === 'DaemonSet' && { tolerations: daemonTolerations(rules.tolerations) }),
      claims: claims.map((claim) => ({ name: claim.name, ephemeral: false })),
      uid: name,
      namespace,
      name,
      labels,
      priority: 0,
      createdAt: 0,
      startedAt: null,
      terminating: false,
      requests,
      nodeName: null,
      ownerUid: null,
    });
    return this.pods.length - 1;
  }
}

/** Equal for workloads of which the filters read the same, claims aside. */
function contentOf({ namespace, labels, rules, requests }: ManifestWorkload): string {
  return JSON.stringify([namespace, labels, { ...rules, claims: [] }, [...requests]]);
}

function shapeOf(pool: PoolShape, { daemonSets }: ManifestFacts, kinds: PodKinds): ProofShape {
  const { labels, taints, cpuMillicores, memoryMib, gpus, maxPods } = pool;
  const allocatable: Amounts = new Map([
    ['cpu', cpuMillicores],
    ['memory', memoryMib * MiB],
    [GPU, gpus],
    ['pods', maxPods],
  ]);
  const daemons = daemonSets.filter((daemon) => runsOn(daemon, pool)).map((daemon) => kinds.kindOfDaemon(daemon));
  return { labels, taints, allocatable, daemons };
}

function storageOf({ storage }: ManifestFacts, claims: ReadonlyMap<string, VolumeClaim>): StorageView {
  return {
    findClaim: (namespace, name) => claims.get(`${namespace}/${name}`) ?? null,
    findVolume: (name) => storage.volumes.get(name) ?? null,
    findClass: (name) => storage.classes.get(name) ?? null,
    // A volume that is free is not counted on: the class must be able to create one.
    volumesOfClass: () => [],
    isCapacityReported: () => false,
    capacities: () => [],
    volumeLimits: () => new Map(),
    attachedVolumes: () => [],
  };
}
