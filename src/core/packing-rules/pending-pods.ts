// Pods that stay pending where `max` of the pools leaves no place for all: those of the lowest priority.

import { placeOn } from '../packing/first-fit.ts';
import { OpenNodes } from '../packing/open-nodes.ts';
import type { Packing } from '../packing/packing.ts';
import { type PackingProblem, RESOURCE_COUNT } from '../packing/packing-problem.ts';
import type { AssignedSpread, SpreadGroup } from './pod-zones.ts';

/** What is known of a pod besides its class. */
export interface RankedPod {
  readonly podClass: number;
  readonly priority: number;
  /** Its hard spread over zones; null: none. */
  readonly spread: AssignedSpread | null;
}

export type PendingReason = 'max' | 'spread';

/** In which order shapes are opened for a class, by what a node of the shape holds of it and costs. */
type ShapeOrder = (node: { readonly price: number; readonly most: number; readonly isLimited: boolean }) => number;

const SHAPE_ORDERS: readonly ShapeOrder[] = [
  // The cheapest for a pod, and where it may be bought without limit, so that limited ones are left for those that need them.
  ({ price, most, isLimited }) => price / most + (isLimited ? 1e6 : 0),
  ({ price, most }) => price / most,
  // The largest: fewest nodes.
  ({ most }) => -most,
];

/** Whether some pool has a `max` and pods differ in priority: else priority changes nothing. */
export function isRanked({ maxNodes }: PackingProblem, pods: readonly Pick<RankedPod, 'priority'>[]): boolean {
  return maxNodes.some((most) => most !== Infinity) && pods.some(({ priority }) => priority !== pods[0]?.priority);
}

/** A packing of all pods, those of high priority first; null: some find no place. */
export function packByPriority(problem: PackingProblem, pods: readonly RankedPod[]): Packing | null {
  const placement = bestPlacement(problem, pods);
  return placement.left.size === 0 ? placement.nodes.toPacking() : null;
}

/**
 * Indices of pods that stay pending, with the reason. Pods are placed by descending priority, those of the largest share of a node first, so that
 * a pod is pending only where it finds no place behind all pods of its priority and above. Of several orders in which nodes are
 * opened, the one counts that leaves the fewest pods of the highest priorities.
 */
export function pendingPods(problem: PackingProblem, pods: readonly RankedPod[]): ReadonlyMap<number, PendingReason> {
  const { left } = bestPlacement(problem, pods);
  const pending = new Map<number, PendingReason>();
  // Backwards: of equal pods the last ones.
  for (let at = pods.length - 1; at >= 0; at -= 1) {
    const pod = pods[at];
    if (pod === undefined) continue;
    const key = levelKey(pod);
    const count = left.get(key) ?? 0;
    if (count === 0) continue;
    left.set(key, count - 1);
    pending.set(at, 'max');
  }
  for (const at of skewingPods(pods, pending)) pending.set(at, 'spread');
  return pending;
}

interface Placement {
  readonly nodes: OpenNodes;
  /** Pods without a place, by `levelKey`. */
  readonly left: Map<string, number>;
  /** Those pods by priority, the highest first. */
  readonly leftByPriority: readonly number[];
}

interface Level {
  readonly priority: number;
  readonly podClass: number;
  readonly count: number;
}

function levelKey({ podClass, priority }: Pick<RankedPod, 'podClass' | 'priority'>): string {
  return `${priority} ${podClass}`;
}

function bestPlacement(problem: PackingProblem, pods: readonly RankedPod[]): Placement {
  const levels = levelsOf(problem, pods);
  const placements = SHAPE_ORDERS.map((order) => place(problem, levels, order));
  return placements.reduce((best, each) => (isLower(each.leftByPriority, best.leftByPriority) ? each : best));
}

function isLower(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((count, place) => count !== other[place]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

/** Pods of equal class and priority, in the order in which they are placed. */
function levelsOf(problem: PackingProblem, pods: readonly RankedPod[]): Level[] {
  const levels = new Map<string, { priority: number; podClass: number; count: number }>();
  for (const { podClass, priority } of pods) {
    const key = levelKey({ podClass, priority });
    const known = levels.get(key) ?? { priority, podClass, count: 0 };
    known.count += 1;
    levels.set(key, known);
  }
  const shares = shareByClass(problem);
  const share = ({ podClass }: Level): number => shares[podClass] ?? 0;
  return [...levels.values()].sort((a, b) => b.priority - a.priority || share(b) - share(a) || a.podClass - b.podClass);
}

/** Largest share of the most that any shape offers. */
function shareByClass({ classCount, requests, capacities }: PackingProblem): Float64Array {
  const most = new Float64Array(RESOURCE_COUNT);
  capacities.forEach((capacity, at) => (most[at % RESOURCE_COUNT] = Math.max(most[at % RESOURCE_COUNT] ?? 0, capacity)));
  return Float64Array.from({ length: classCount }, (_, podClass) => {
    let share = 0;
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      const request = requests[podClass * RESOURCE_COUNT + resource] ?? 0;
      if (request > 0) share = Math.max(share, request / (most[resource] ?? 0));
    }
    return share;
  });
}

function place(problem: PackingProblem, levels: readonly Level[], order: ShapeOrder): Placement {
  const nodes = new OpenNodes(problem);
  const left = new Map<string, number>();
  const byPriority = new Map<number, number>();
  for (const level of levels) {
    const { podClass, priority } = level;
    let count = level.count;
    for (let node = 0; node < nodes.count && count > 0; node += 1) count -= placeOn(nodes, node, podClass, count);
    for (const shape of shapesFor(problem, podClass, order)) {
      while (count > 0 && nodes.canOpen(shape)) count -= placeOn(nodes, nodes.open(shape), podClass, count);
    }
    if (count > 0) left.set(levelKey(level), count);
    byPriority.set(priority, (byPriority.get(priority) ?? 0) + count);
  }
  return { nodes, left, leftByPriority: [...byPriority.values()] };
}

function shapesFor({ machineTypes, mostPerNode, usdPerHour, maxNodes }: PackingProblem, podClass: number, order: ShapeOrder): number[] {
  const most = (shape: number): number => mostPerNode[podClass * machineTypes.length + shape] ?? 0;
  const rank = (shape: number): number =>
    order({ price: usdPerHour[shape] ?? 0, most: most(shape), isLimited: maxNodes[shape] !== Infinity });
  return [...machineTypes.keys()].filter((shape) => most(shape) > 0).sort((a, b) => rank(a) - rank(b) || a - b);
}

/** Further pods that would skew a spread over zones, since others of it are pending: those of the lowest priority in the fuller zones. */
function skewingPods(pods: readonly RankedPod[], pending: ReadonlyMap<number, PendingReason>): number[] {
  const affected = new Set<SpreadGroup>();
  for (const at of pending.keys()) {
    const group = pods[at]?.spread?.group;
    if (group !== undefined) affected.add(group);
  }
  return [...affected].flatMap((group) => {
    const placed = new Map(group.domains.map((zone): [string, number[]] => [zone, []]));
    pods.forEach(({ spread }, at) => {
      if (spread?.group === group && !pending.has(at)) placed.get(spread.zone)?.push(at);
    });
    const fewest = group.hasNoMinimum ? 0 : Math.min(...[...placed.values()].map(({ length }) => length));
    return [...placed.values()].flatMap((members) => {
      const byPriority = members.toSorted((a, b) => (pods[b]?.priority ?? 0) - (pods[a]?.priority ?? 0) || a - b);
      return byPriority.slice(fewest + group.maxSkew);
    });
  });
}
