import { openShapes, type PackingProblem, RESOURCE_COUNT } from './packing-problem.ts';

/**
 * Shapes without those that another one replaces in every packing: it may be bought without limit, costs no more, and holds at least as
 * much, of every class. Ascending by price.
 */
export function usefulShapes(problem: PackingProblem): number[] {
  const shapes = openShapes(problem);
  const replaces = (other: number, shape: number): boolean =>
    isAtLeast(problem, other, shape) && (!isAtLeast(problem, shape, other) || other < shape);
  return shapes
    .filter((shape) => !shapes.some((other) => other !== shape && replaces(other, shape)))
    .sort((a, b) => (problem.usdPerHour[a] ?? 0) - (problem.usdPerHour[b] ?? 0) || a - b);
}

function isAtLeast(problem: PackingProblem, other: number, shape: number): boolean {
  if (problem.maxNodes[other] !== Infinity || (problem.usdPerHour[other] ?? 0) > (problem.usdPerHour[shape] ?? 0)) return false;
  return holdsAtLeast(problem, other, shape, 1);
}

/** Whether `factor` nodes of the one shape, taken together, offer at least what a node of the other does, also to each class. */
export function holdsAtLeast(problem: PackingProblem, one: number, other: number, factor: number): boolean {
  const { capacities, mostPerNode, machineTypes, classCount } = problem;
  for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
    const capacity = (capacities[one * RESOURCE_COUNT + resource] ?? 0) * factor;
    if (capacity < (capacities[other * RESOURCE_COUNT + resource] ?? 0)) return false;
  }
  for (let podClass = 0; podClass < classCount; podClass += 1) {
    const row = podClass * machineTypes.length;
    if ((mostPerNode[row + one] ?? 0) * factor < (mostPerNode[row + other] ?? 0)) return false;
  }
  return true;
}
