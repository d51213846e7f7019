// A tighter lower bound: the linear program over patterns, which allows fractions of nodes and no fractions of pods. Its patterns are too
// many to list, so that they are found one after the other by the prices of those that are known (P. Gilmore and R. Gomory, "A linear
// programming approach to the cutting-stock problem", 1961). Every round proves a bound, also where the last one is not reached: where no
// node of shape t holds pods worth more than V_t, the prices scaled by the smallest p_t / V_t buy no pattern below its price (A. Farley, 1990).
// Free nodes have a row each, and what they hold at most, V_t, is subtracted for each of them.

import { findBestPattern, type Pattern } from './best-pattern.ts';
import { firstFitWithOneType } from './first-fit.ts';
import { isFree } from './free-nodes.ts';
import { type LinearProgram, LinearProgramBuilder, type LinearSolution } from './linear-program.ts';
import type { PackingProblem } from './packing-problem.ts';
import { usefulShapes } from './useful-shapes.ts';

/** Solves a program at once; null: no solution. */
export type SolveNow = (program: LinearProgram) => LinearSolution | null;

/** Steps for the best pattern of one shape: few at first, more when no pattern is found with them. */
const PATTERN_STEPS = { first: 500, factor: 8, last: 500 * 8 ** 4 } as const;
/** A pattern that is worth so little more than its price changes nothing: relative to the price, or in dollars. */
const CONVERGED = 1e-7;

/**
 * Bounds in dollars an hour, each at least the one before; the last is the value of the program. Only for problems without groups: their
 * pods may not share a node, which patterns here do not keep; other limits are left out, which is valid.
 */
export function* patternBounds(problem: PackingProblem, solve: SolveNow): Generator<number> {
  if (problem.groupLimits.length > 0) return;
  const maxNodes = problem.maxNodes.map((most, shape) => (isFree(problem, shape) ? most : Infinity));
  const shapes = usefulShapes({ ...problem, maxNodes });
  const free = shapes.filter((shape) => isFree(problem, shape));
  const patterns = firstPatterns(problem, shapes);
  let best = 0;
  let steps: number = PATTERN_STEPS.first;
  for (;;) {
    const solution = solve(masterProgram(problem, patterns, free));
    if (solution === null) return;
    const perPod = solution.rowDuals.subarray(0, problem.classCount).map((price) => Math.max(0, price));
    const perNode = new Map(free.map((shape, at) => [shape, Math.max(0, solution.rowDuals[problem.classCount + at] ?? 0)]));
    let scale = 1;
    let onFree = 0;
    let isConverged = true;
    for (const shape of shapes) {
      const price = perNode.get(shape) ?? problem.usdPerHour[shape] ?? 0;
      const { pattern, upperBound } = findBestPattern(problem, shape, perPod, steps);
      if (perNode.has(shape)) onFree += upperBound * (problem.maxNodes[shape] ?? 0);
      else if (upperBound > price) scale = Math.min(scale, price / upperBound);
      if (pattern.worth <= price + CONVERGED * Math.max(price, 1)) continue;
      isConverged = false;
      patterns.push(pattern);
    }
    const value = problem.podCounts.reduce((sum, count, podClass) => sum + count * (perPod[podClass] ?? 0), 0);
    best = Math.max(best, (value - onFree) * scale);
    yield best;
    if (isConverged && steps === PATTERN_STEPS.last) return;
    if (isConverged) steps *= PATTERN_STEPS.factor;
  }
}

/** Patterns of a packing, and each class alone on the shape where that is cheapest, a free one only where no other holds it. */
function firstPatterns(problem: PackingProblem, shapes: readonly number[]): Omit<Pattern, 'worth'>[] {
  const alone = [...problem.podCounts.keys()].flatMap((podClass) => {
    const holding = shapes.filter((shape) => (problem.mostPerNode[podClass * problem.machineTypes.length + shape] ?? 0) > 0);
    const price = (shape: number): number => (isFree(problem, shape) ? Infinity : (problem.usdPerHour[shape] ?? 0));
    const [shape] = holding.toSorted((a, b) => (price(a) === price(b) ? a - b : price(a) - price(b)));
    return shape === undefined ? [] : [{ shape, classes: [podClass], counts: [1] }];
  });
  return [...alone, ...(firstFitWithOneType(problem, 1)?.nodes ?? [])];
}

/** Each pod in a pattern, or more; no more patterns on free nodes than there are of these. */
function masterProgram(
  { podCounts, usdPerHour, maxNodes }: PackingProblem,
  patterns: readonly Omit<Pattern, 'worth'>[],
  free: readonly number[],
): LinearProgram {
  const builder = new LinearProgramBuilder();
  for (const count of podCounts) builder.addRow(count, Infinity);
  const limitRows = new Map(free.map((shape) => [shape, builder.addRow(-(maxNodes[shape] ?? 0), Infinity)]));
  for (const { shape, classes, counts } of patterns) {
    const limitRow = limitRows.get(shape);
    builder.addColumn(usdPerHour[shape] ?? 0, [
      ...classes.map((podClass, at) => [podClass, counts[at] ?? 0] as const),
      ...(limitRow === undefined ? [] : [[limitRow, -1] as const]),
    ]);
  }
  return builder.build();
}
