// First-fit-decreasing with the one machine type with which it costs least: what a cluster of one well-chosen pool would cost.

import { firstFitWithOneType } from '../packing/first-fit.ts';
import type { Packing } from '../packing/packing.ts';
import type { PackingProblem } from '../packing/packing-problem.ts';

/** Null where pods are left over because of `maxNodes`. */
export function firstFitDecreasing(problem: PackingProblem): Packing | null {
  return firstFitWithOneType(problem, problem.machineTypes.length);
}
