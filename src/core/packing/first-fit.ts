// First-fit-decreasing with one machine type: pods by their largest share of a node, each on the first node that
// has room. D. S. Johnson, "Near-optimal bin packing algorithms" (1973), with the dominant share as the size.

import { isFree } from './free-nodes.ts';
import { OpenNodes } from './open-nodes.ts';
import { type Packing, packingCost } from './packing.ts';
import { RESOURCE_COUNT, type PackingProblem } from './packing-problem.ts';

/**
 * The cheapest result over the machine types that cost least if pods filled them without a rest, at most `maxTypes`. A pod that the type
 * does not hold, or for which no node of it may be added, gets the cheapest type that holds it. Null where pods are left over because of
 * `maxNodes`.
 */
export function firstFitWithOneType(problem: PackingProblem, maxTypes: number): Packing | null {
  let best: Packing | null = null;
  let bestCost = Infinity;
  for (const shape of mostPromisingFirst(problem).slice(0, maxTypes)) {
    const packing = packWithType(problem, shape, bestCost);
    if (packing !== null) [best, bestCost] = [packing, packingCost(problem, packing)];
  }
  return best;
}

/** First-fit-decreasing where new nodes have the given shape if it holds the pod; null where that does not cost less than the budget. */
function packWithType(problem: PackingProblem, preferred: number, budgetUsd: number): Packing | null {
  const nodes = new OpenNodes(problem);
  openFreeNodes(problem, nodes);
  let cost = 0;
  for (const podClass of byDominantShare(problem, preferred)) {
    let left = problem.podCounts[podClass] ?? 0;
    for (let node = 0; node < nodes.count && left > 0; node += 1) left -= placeOn(nodes, node, podClass, left);
    while (left > 0) {
      const shape = shapeFor(problem, nodes, podClass, preferred);
      if (shape === null) return null;
      cost += problem.usdPerHour[shape] ?? 0;
      if (cost >= budgetUsd) return null;
      left -= placeOn(nodes, nodes.open(shape), podClass, left);
    }
  }
  return nodes.toPacking();
}

/** Free nodes are filled before any is bought. */
function openFreeNodes(problem: PackingProblem, nodes: OpenNodes): void {
  for (const shape of problem.machineTypes.keys()) {
    if (!isFree(problem, shape)) continue;
    // More than there are pods would stay empty.
    const most = Math.min(
      problem.maxNodes[shape] ?? 0,
      problem.podCounts.reduce((sum, count) => sum + count, 0),
    );
    for (let node = 0; node < most; node += 1) nodes.open(shape);
  }
}

/** Places as many of the pods as fit. Returns their number. */
export function placeOn(nodes: OpenNodes, node: number, podClass: number, wanted: number): number {
  const count = nodes.roomFor(node, podClass, wanted);
  if (count > 0) nodes.place(node, podClass, count);
  return Math.max(count, 0);
}

function shapeFor(problem: PackingProblem, nodes: OpenNodes, podClass: number, preferred: number): number | null {
  const shapes = problem.machineTypes.length;
  const holds = (shape: number): boolean => (problem.mostPerNode[podClass * shapes + shape] ?? 0) > 0 && nodes.canOpen(shape);
  if (holds(preferred)) return preferred;
  let cheapest: number | null = null;
  for (let shape = 0; shape < shapes; shape += 1) {
    if (holds(shape) && (problem.usdPerHour[shape] ?? 0) < (cheapest === null ? Infinity : (problem.usdPerHour[cheapest] ?? 0)))
      cheapest = shape;
  }
  return cheapest;
}

/** Classes by descending largest share of a node of the shape. */
function byDominantShare(problem: PackingProblem, shape: number): number[] {
  const shares = Float64Array.from({ length: problem.classCount }, (_, podClass) => dominantShare(problem, podClass, shape));
  return [...shares.keys()].sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0) || a - b);
}

function dominantShare(problem: PackingProblem, podClass: number, shape: number): number {
  let share = 0;
  for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
    const request = problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0;
    if (request > 0) share = Math.max(share, request / (problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0));
  }
  return share;
}

/** Shapes by what they would cost if pods filled them without a rest: the better the first results, the sooner others are given up. */
function mostPromisingFirst(problem: PackingProblem): number[] {
  const { machineTypes, podCounts, requests, capacities, usdPerHour } = problem;
  const totals = new Float64Array(RESOURCE_COUNT);
  requests.forEach((request, at) => {
    const resource = at % RESOURCE_COUNT;
    totals[resource] = (totals[resource] ?? 0) + request * (podCounts[Math.floor(at / RESOURCE_COUNT)] ?? 0);
  });
  const costs = machineTypes.map((_, shape) => {
    const nodes = totals.reduce((most, total, resource) => {
      return total === 0 ? most : Math.max(most, total / (capacities[shape * RESOURCE_COUNT + resource] ?? 0));
    }, 0);
    return nodes * (usdPerHour[shape] ?? 0);
  });
  // Where all are free, nothing can be bought, and any of them will do.
  const bought = [...costs.keys()].filter((shape) => !isFree(problem, shape));
  return (bought.length === 0 ? [0] : bought).sort((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0) || a - b);
}
