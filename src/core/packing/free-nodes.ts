// Nodes that are paid for whatever is placed on them: existing ones that stay. A problem has them as shapes without a price, of which there
// is a limited number, with the capacity that is left on them; what they cost is a constant beside it.

import { type PackingProblem, RESOURCE_COUNT } from './packing-problem.ts';

/** Whether the nodes of a shape are free, and limited in number. */
export function isFree({ usdPerHour, maxNodes }: PackingProblem, shape: number): boolean {
  return usdPerHour[shape] === 0 && maxNodes[shape] !== Infinity;
}

/** Capacity of all free nodes together, by resource. */
export function freeCapacity(problem: PackingProblem): Float64Array {
  const totals = new Float64Array(RESOURCE_COUNT);
  for (const shape of problem.machineTypes.keys()) {
    if (!isFree(problem, shape)) continue;
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      const capacity = (problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0) * (problem.maxNodes[shape] ?? 0);
      totals[resource] = (totals[resource] ?? 0) + capacity;
    }
  }
  return totals;
}

/** Number of free nodes. */
export function freeNodeCount(problem: PackingProblem): number {
  return problem.maxNodes.reduce((sum, most, shape) => sum + (isFree(problem, shape) ? most : 0), 0);
}
