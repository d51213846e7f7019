// Which lower bounds a problem gets.

import type { LinearProgram, LinearSolution } from './linear-program.ts';
import { boundingShapes, type BoundProgram, boundProgram, provenBound, resourceProgram, singleResourcePrices } from './lower-bound.ts';
import { type MergedClasses, mergeClasses } from './merge-classes.ts';
import { openShapes, type PackingProblem } from './packing-problem.ts';

/** What the program of a bound is about. */
export type BoundKind = 'classes' | 'merged-classes' | 'resources' | 'single-resource';

export interface LowerBound {
  readonly kind: BoundKind;
  readonly usdPerHour: number;
  /** What a pod of each class is worth, in dollars an hour. */
  readonly perPod: Float64Array;
  /** Dollars an hour for a millicore, a MiB, a GPU and a pod, on average. */
  readonly unitPrices: Float64Array;
}

export interface ChosenBound {
  readonly kind: BoundKind;
  readonly program: LinearProgram;
  /** The bound that the solution's prices prove. */
  readonly read: (solution: LinearSolution) => LowerBound;
}

/** Classes and groups times shapes. Programs of recorded pods of half this size take HiGHS a second. */
const MAX_SIZE = 16_000;
/** With fewer classes, the rounding costs more than the program over resources loses. */
const MIN_MERGED_CLASSES = 40;

/** Bounds in the order in which they are to be tried: the first is solved at once, each further one is tighter and takes longer. */
export function chooseBounds(problem: PackingProblem): ChosenBound[] {
  const shapes = boundingShapes(problem);
  const byResources = readable('resources', problem, shapes, resourceProgram(problem, shapes));
  const groups = problem.groupLimits.length;
  if ((problem.classCount + groups) * shapes.length <= MAX_SIZE) {
    return [byResources, readable('classes', problem, shapes, boundProgram(problem, shapes))];
  }
  const maxClasses = Math.floor(MAX_SIZE / shapes.length) - groups;
  const merged = maxClasses < MIN_MERGED_CLASSES ? null : mergeClasses(problem, maxClasses);
  return merged === null ? [byResources] : [byResources, boundByMergedClasses(merged)];
}

function boundByMergedClasses({ problem, mergedOf }: MergedClasses): ChosenBound {
  const shapes = boundingShapes(problem);
  const { kind, program, read } = readable('merged-classes', problem, shapes, boundProgram(problem, shapes));
  return {
    kind,
    program,
    read: (solution) => {
      const bound = read(solution);
      return { ...bound, perPod: Float64Array.from(mergedOf, (at) => bound.perPod[at] ?? 0) };
    },
  };
}

function readable(kind: BoundKind, problem: PackingProblem, shapes: readonly number[], bound: BoundProgram): ChosenBound {
  return {
    kind,
    program: bound.program,
    read: (solution) => {
      const prices = bound.pricesOf(solution);
      const usdPerHour = provenBound(problem, shapes, prices);
      return { kind, usdPerHour, perPod: prices.perPod, unitPrices: bound.unitPricesOf(solution) };
    },
  };
}

/** A bound without a solver. */
export function boundBySingleResource(problem: PackingProblem): LowerBound {
  const { prices, unitPrices } = singleResourcePrices(problem);
  const usdPerHour = provenBound(problem, openShapes(problem), prices);
  return { kind: 'single-resource', usdPerHour, perPod: prices.perPod, unitPrices };
}
