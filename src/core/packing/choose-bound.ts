// Which lower bound a problem gets: the tightest whose program a solver finishes in seconds.

import type { LinearProgram, LinearSolution } from './linear-program.ts';
import { boundingShapes, boundProgram, provenBound, resourceProgram, singleResourcePrices } from './lower-bound.ts';
import { mergeClasses } from './merge-classes.ts';
import type { PackingProblem } from './packing-problem.ts';

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

/** Classes and groups times shapes. A program of this size takes HiGHS about two seconds. */
const MAX_SIZE = 16_000;
/** With fewer classes, the rounding costs more than the program over resources loses. */
const MIN_MERGED_CLASSES = 40;

export function chooseBound(problem: PackingProblem): ChosenBound {
  const groups = problem.groupLimits.length;
  const shapes = boundingShapes(problem);
  if ((problem.classCount + groups) * shapes.length <= MAX_SIZE) {
    const bound = boundProgram(problem, shapes);
    return {
      kind: 'classes',
      program: bound.program,
      read: (solution) => {
        const prices = bound.pricesOf(solution);
        const usdPerHour = provenBound(problem, shapes, prices);
        return { kind: 'classes', usdPerHour, perPod: prices.perPod, unitPrices: bound.unitPricesOf(solution) };
      },
    };
  }
  const maxClasses = Math.floor(MAX_SIZE / shapes.length) - groups;
  const merged = maxClasses < MIN_MERGED_CLASSES ? null : mergeClasses(problem, maxClasses);
  return merged === null ? boundByResources(problem, shapes) : boundByMergedClasses(merged.problem, merged.mergedOf);
}

function boundByMergedClasses(merged: PackingProblem, mergedOf: Int32Array): ChosenBound {
  const shapes = boundingShapes(merged);
  const bound = boundProgram(merged, shapes);
  return {
    kind: 'merged-classes',
    program: bound.program,
    read: (solution) => {
      const prices = bound.pricesOf(solution);
      return {
        kind: 'merged-classes',
        usdPerHour: provenBound(merged, shapes, prices),
        perPod: Float64Array.from(mergedOf, (at) => prices.perPod[at] ?? 0),
        unitPrices: bound.unitPricesOf(solution),
      };
    },
  };
}

function boundByResources(problem: PackingProblem, shapes: readonly number[]): ChosenBound {
  const bound = resourceProgram(problem, shapes);
  return {
    kind: 'resources',
    program: bound.program,
    read: (solution) => {
      const prices = bound.pricesOf(solution);
      const usdPerHour = provenBound(problem, shapes, prices);
      return { kind: 'resources', usdPerHour, perPod: prices.perPod, unitPrices: bound.unitPricesOf(solution) };
    },
  };
}

/** A bound without a solver. */
export function boundBySingleResource(problem: PackingProblem): LowerBound {
  const { prices, unitPrices } = singleResourcePrices(problem);
  const usdPerHour = provenBound(problem, [...problem.machineTypes.keys()], prices);
  return { kind: 'single-resource', usdPerHour, perPod: prices.perPod, unitPrices };
}
