import type { StayingNode } from '../../../core/packing-rules/fix-nodes.ts';
import type { Packing } from '../../../core/packing/packing.ts';
import { type PackingProblem, RESOURCE_COUNT } from '../../../core/packing/packing-problem.ts';
import type { ExistingInput } from '../input/read-input.ts';
import type { TypeTotals } from './type-totals.ts';

/** The nodes that exist, as they are. */
export interface ExistingTotals {
  readonly nodes: number;
  readonly usdPerHour: number;
  /** Pods that are on no node, and are packed, too. */
  readonly pendingPods: number;
  /** Where prices come from that no pools file states. */
  readonly priceSources: readonly string[];
  readonly staying: {
    readonly nodes: number;
    readonly usdPerHour: number;
    readonly pods: number;
    /** Why, with the number of pods and nodes; the most pods first. A node has as many reasons as its pods. */
    readonly reasons: readonly { readonly reason: string; readonly pods: number; readonly nodes: readonly string[] }[];
  };
}

export function existingTotals(existing: ExistingInput): ExistingTotals {
  const { nodeCount, nowUsdPerHour, usdPerHour, staying, stayingPods, pendingPods, priceSources } = existing;
  const reasons = new Map<string, { pods: number; nodes: string[] }>();
  const add = (reason: string, pods: number, node: string): void => {
    const known = reasons.get(reason) ?? { pods: 0, nodes: [] };
    reasons.set(reason, { pods: known.pods + pods, nodes: [...known.nodes, node] });
  };
  for (const { node, podsByReason } of staying) {
    if (node.stays !== null) add(node.stays, 0, node.name);
    for (const [reason, pods] of podsByReason) add(reason, pods, node.name);
  }
  return {
    nodes: nodeCount,
    usdPerHour: nowUsdPerHour,
    pendingPods,
    priceSources,
    staying: {
      nodes: staying.length,
      usdPerHour,
      pods: stayingPods.length,
      reasons: [...reasons]
        .map(([reason, { pods, nodes }]) => ({ reason, pods, nodes }))
        .sort((a, b) => b.pods - a.pods || (a.reason < b.reason ? -1 : 1)),
    },
  };
}

/** Nodes that stay, by machine type, with what is packed onto them. */
export function stayingTotals(problem: PackingProblem, { staying, shapes }: ExistingInput, packing: Packing): TypeTotals[] {
  const added = addedByNode(problem, new Map(shapes.map(({ name, nodes }) => [name, nodes])), packing);
  return [...Map.groupBy(staying, ({ node }) => JSON.stringify(node.offering)).values()].flatMap((same) => {
    const offering = same[0]?.node.offering;
    if (offering === undefined) return [];
    const used = new Float64Array(RESOURCE_COUNT);
    for (const { node, requested } of same) {
      for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
        used[resource] = (used[resource] ?? 0) + (requested[resource] ?? 0) + (added.get(node.name)?.[resource] ?? 0);
      }
    }
    const share = (resource: number, of: (each: StayingNode) => number): number | null => {
      const capacity = same.reduce((sum, each) => sum + of(each), 0);
      return capacity === 0 ? null : (used[resource] ?? 0) / capacity;
    };
    return {
      ...offering,
      stays: true,
      nodes: same.length,
      usdPerHour: same.reduce((sum, { node }) => sum + node.usdPerHour, 0),
      // Without those that go with the node.
      pods: same.reduce((sum, { node, podsByReason }) => {
        const stay = [...podsByReason.values()].reduce((total, pods) => total + pods, 0);
        return sum + stay + (added.get(node.name)?.[RESOURCE_COUNT - 1] ?? 0);
      }, 0),
      cpuRequested: share(0, ({ node }) => node.cpuMillicores),
      memoryRequested: share(1, ({ node }) => node.memoryMib),
    };
  });
}

/** Requests of the pods that are packed onto each node, by resource. */
function addedByNode(
  problem: PackingProblem,
  nodesOf: ReadonlyMap<string, readonly string[]>,
  packing: Packing,
): ReadonlyMap<string, Float64Array> {
  const added = new Map<string, Float64Array>();
  const next = new Map<number, number>();
  for (const { shape, classes, counts, copies } of packing.nodes) {
    const names = nodesOf.get(problem.machineTypes[shape]?.name ?? '');
    if (names === undefined) continue;
    for (let copy = 0; copy < copies; copy += 1) {
      const at = next.get(shape) ?? 0;
      next.set(shape, at + 1);
      const sums = new Float64Array(RESOURCE_COUNT);
      classes.forEach((podClass, place) => {
        for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
          const request = problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0;
          sums[resource] = (sums[resource] ?? 0) + request * (counts[place] ?? 0);
        }
      });
      added.set(names[at] ?? '', sums);
    }
  }
  return added;
}
