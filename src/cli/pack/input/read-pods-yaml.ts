// Pods of manifests as they are packed.

import { availableShape, type DaemonDemand, runsOn } from '../../../core/packing-rules/daemon-sets.ts';
import { type PackedWorkload, podItems } from '../../../core/packing-rules/pod-items.ts';
import type { PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import type { ManifestStorage } from '../../../core/packing-rules/volume-reach.ts';
import { type ManifestWorkload, podNamesOf, readManifestWorkloads } from './read-manifest-workloads.ts';
import type { NamedPod } from './read-pods-csv.ts';

/** What a packing of manifests is proven with. */
export interface ManifestFacts {
  readonly workloads: readonly ManifestWorkload[];
  readonly daemonSets: readonly (ManifestWorkload & DaemonDemand)[];
  readonly storage: ManifestStorage;
}

export interface ReadPodsYaml {
  readonly pods: readonly NamedPod[];
  /** Pools without what DaemonSets request of their nodes. */
  readonly shapes: readonly PoolShape[];
  readonly facts: ManifestFacts;
  /** What the result depends on and is not stated. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

/** Reads the pods of a file of manifests. @param headroom share of CPU, memory and pods of a node that stays free */
export function readPodsYaml(source: string, text: string, pools: readonly PoolShape[], headroom: number): ReadPodsYaml {
  const { workloads, daemonSets, storage, problems } = readManifestWorkloads(source, text, pools);
  const facts = { workloads, daemonSets, storage };
  const shapes = pools.map((pool) => availableShape(pool, daemonSets, headroom));
  const place = (at: number): string => {
    const { line = 0, kind = '', name = '' } = workloads[at] ?? {};
    return `${source}:${line}: ${kind} ${name}`;
  };
  if (problems.length > 0) return { pods: [], shapes, facts, notes: [], problems };
  const packed = workloads.map((workload): PackedWorkload => ({ ...workload, podNames: podNamesOf(workload) }));
  const { items, notes, problems: found } = podItems(packed, daemonSets, shapes, storage);
  return {
    pods: items.map((item) => {
      const [first] = item.pods;
      return {
        name: first?.name ?? '',
        line: workloads[first?.workload ?? -1]?.line ?? 0,
        demand: item.demand,
        priority: item.priority,
        item,
      };
    }),
    shapes,
    facts,
    notes: [...daemonNotes(daemonSets, pools), ...notes],
    problems: found.map(({ workload, problem }) => `${place(workload)}: ${problem}`),
  };
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
  return [`${name} up to ${most('cpu')}m CPU and ${most('memory')} MiB of a node, which is not offered to other pods`];
}
