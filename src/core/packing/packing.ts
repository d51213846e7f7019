import type { PackingProblem } from './packing-problem.ts';

/** Equal nodes: a shape, and pods of each class on one node. */
export interface PackedNodes {
  readonly shape: number;
  /** Ascending. */
  readonly classes: readonly number[];
  /** Pods by place in `classes`, at least one. */
  readonly counts: readonly number[];
  /** Nodes that hold this, at least one. */
  readonly copies: number;
}

export interface Packing {
  readonly nodes: readonly PackedNodes[];
}

/** Dollars an hour of a packing, added up by machine type, so that the order of the nodes does not change the sum. */
export function packingCost(problem: PackingProblem, packing: Packing): number {
  return nodesByShape(problem, packing).reduce((sum, count, shape) => sum + count * (problem.usdPerHour[shape] ?? NaN), 0);
}

/** Nodes by shape. */
export function nodesByShape(problem: PackingProblem, { nodes }: Packing): number[] {
  const counts = new Array<number>(problem.machineTypes.length).fill(0);
  for (const { shape, copies } of nodes) counts[shape] = (counts[shape] ?? 0) + copies;
  return counts;
}

/** Joins equal nodes. Sorted by shape, then by what a node holds. */
export function mergeNodes(nodes: readonly PackedNodes[]): Packing {
  const merged = new Map<string, PackedNodes>();
  for (const node of nodes) {
    const key = `${node.shape}:${node.classes.join(',')}:${node.counts.join(',')}`;
    const known = merged.get(key);
    merged.set(key, known === undefined ? node : { ...known, copies: known.copies + node.copies });
  }
  return { nodes: [...merged.values()].sort(compareNodes) };
}

function compareNodes(a: PackedNodes, b: PackedNodes): number {
  if (a.shape !== b.shape) return a.shape - b.shape;
  for (let at = 0; at < Math.min(a.classes.length, b.classes.length); at += 1) {
    const difference = (a.classes[at] ?? 0) - (b.classes[at] ?? 0) || (b.counts[at] ?? 0) - (a.counts[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return b.classes.length - a.classes.length;
}
