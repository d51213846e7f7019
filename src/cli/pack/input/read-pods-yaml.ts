// Pods of manifests as they are packed.

import { availableShape, type DaemonDemand, runsOn } from '../../../core/packing-rules/daemon-sets.ts';
import { preferringItems } from '../../../core/packing-rules/preferences.ts';
import { type PackedWorkload, type PodItem, podItems } from '../../../core/packing-rules/pod-items.ts';
import { labelKeysOf, type PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import type { ManifestStorage } from '../../../core/packing-rules/volume-reach.ts';
import { attachNotes, knownVolumes } from './known-volumes.ts';
import { statedAmount } from './pod-quantities.ts';
import { type ManifestWorkload, podNamesOf, readManifestWorkloads } from './read-manifest-workloads.ts';
import type { NamedPod } from './read-pods-csv.ts';

/** What a packing of manifests is proven with. */
export interface ManifestFacts {
  readonly workloads: readonly ManifestWorkload[];
  readonly daemonSets: readonly (ManifestWorkload & DaemonDemand)[];
  readonly storage: ManifestStorage;
}

export interface PreferringPods {
  readonly pods: readonly NamedPod[];
  /** What the pods whose preferences are requirements cost by the price of their share of a node, in dollars an hour. */
  readonly ownUsd: number;
}

/** What the options say of the packing. */
export interface InputRules {
  /** Share of CPU, memory and pods of a node that stays free, 0 to 1. */
  readonly headroom: number;
  /** Share of its cost that a pod's preferences may cost. */
  readonly preferenceCost: number;
}

export interface ReadPodsYaml {
  readonly pods: readonly NamedPod[];
  /** Pools without what DaemonSets request of their nodes. */
  readonly shapes: readonly PoolShape[];
  readonly facts: ManifestFacts;
  /** The same pods with preferences as requirements, most of them first; empty: none has one that is to be kept. */
  readonly preferring: readonly PreferringPods[];
  /** What the result depends on and is not stated. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

/** Reads the pods of a file of manifests. */
export function readPodsYaml(source: string, text: string, pools: readonly PoolShape[], rules: InputRules): ReadPodsYaml {
  const read = readManifestWorkloads(source, text, pools);
  const { workloads, daemonSets, problems } = read;
  const { storage, notes: volumeNotes } = knownVolumes(read.storage, labelKeysOf(pools));
  const facts = { workloads, daemonSets, storage };
  const shapes = pools.map((pool) => availableShape(pool, daemonSets, rules.headroom));
  const place = (at: number): string => {
    const { line = 0, kind = '', name = '' } = workloads[at] ?? {};
    return `${source}:${line}: ${kind} ${name}`;
  };
  if (problems.length > 0) return { pods: [], shapes, facts, preferring: [], notes: [], problems };
  const packed = workloads.map((workload): PackedWorkload => ({ ...workload, podNames: podNamesOf(workload) }));
  const { items, notes, problems: found } = podItems(packed, daemonSets, shapes, storage);
  const named = (each: readonly PodItem[]): NamedPod[] =>
    each.map(({ demand, priority }, at) => {
      // What a pod is, beside its demand, is that of the item without preferences.
      const item = items[at] ?? null;
      const [first] = item?.pods ?? [];
      return {
        name: first?.name ?? '',
        line: workloads[first?.workload ?? -1]?.line ?? 0,
        demand,
        priority,
        item,
        place: null,
        rules: null,
        volumes: null,
      };
    });
  const preferring = found.length > 0 || rules.preferenceCost === 0 ? [] : preferringItems(packed, shapes, storage, rules.preferenceCost);
  return {
    pods: named(items),
    preferring: preferring.map((each) => ({ pods: named(each.items), ownUsd: each.ownUsd })),
    shapes,
    facts,
    notes: [
      ...read.notes,
      ...daemonNotes(daemonSets, pools),
      ...unusablePoolNotes(pools, shapes),
      ...notes,
      ...volumeNotes,
      ...attachNotes(workloads),
    ],
    problems: found.map(({ workload, problem }) => `${place(workload)}: ${problem}`),
  };
}

/** Names pools of which DaemonSets leave nothing. @param shapes the pools without what DaemonSets request */
function unusablePoolNotes(pools: readonly PoolShape[], shapes: readonly PoolShape[]): string[] {
  const names = pools.filter(({ maxPods }, at) => maxPods > 0 && shapes[at]?.maxPods === 0).map(({ name }) => name);
  if (names.length === 0) return [];
  return [`no pod is packed on ${names.join(', ')}: the DaemonSets that run on its nodes do not fit on one`];
}

/** What DaemonSets take of the nodes. */
function daemonNotes(daemonSets: readonly (ManifestWorkload & DaemonDemand)[], pools: readonly PoolShape[]): string[] {
  if (daemonSets.length === 0) return [];
  const sums = pools.map((pool) => {
    const running = daemonSets.filter((daemon) => runsOn(daemon, pool));
    const sum = (amount: 'cpuMillicores' | 'memoryMib'): number => running.reduce((total, { size }) => total + size[amount], 0);
    return { cpu: sum('cpuMillicores'), memory: sum('memoryMib') };
  });
  const most = (amount: 'cpu' | 'memory'): number => Math.max(...sums.map((each) => each[amount]));
  const name = daemonSets.length === 1 ? '1 DaemonSet takes' : `${daemonSets.length} DaemonSets take`;
  return [`${name} up to ${most('cpu')}m CPU and ${statedAmount(most('memory'), 'up')} MiB of a node, which is not offered to other pods`];
}
