import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aMachineType, aPodDemand, optimalCost, smallProblems } from '../../../test/builders/packing.ts';
import { seededRandom } from '../../../test/fakes/seeded-random.ts';
import { boundBySingleResource, chooseBounds } from '../../core/packing/choose-bound.ts';
import { boundingShapes, boundProgram, provenBound, resourceProgram } from '../../core/packing/lower-bound.ts';
import { mergeClasses } from '../../core/packing/merge-classes.ts';
import { packingCost } from '../../core/packing/packing.ts';
import { classifyPods, relaxProblem } from '../../core/packing/packing-problem.ts';
import { patternBounds } from '../../core/packing/pattern-bound.ts';
import { PackingSearch } from '../../core/packing/packing-search.ts';
import { verifyPacking } from '../../core/packing/verify-packing.ts';
import { type BlockingSolver, loadHighsSolver } from './highs-solver.ts';

const ROUNDING = 1e-6;

let solve: BlockingSolver;
beforeAll(async () => {
  solve = await loadHighsSolver();
});

describe('on small problems whose optimum is known', () => {
  test('the lower bound is at most the optimum, and the packing at least', () => {
    const reached = { optimum: 0, feasible: 0 };
    const property = fc.property(smallProblems(), fc.integer(), (problem, seed) => {
      const optimum = optimalCost(problem);
      const relaxed = relaxProblem(problem);
      const chosen = chooseBounds(relaxed).at(-1)!;
      const solution = solve(chosen.program);
      // A program without a solution has no packing either.
      if (solution === null) expect(optimum).toBe(Infinity);
      const bound = solution === null ? boundBySingleResource(relaxed) : chosen.read(solution);
      expect(bound.usdPerHour).toBeLessThanOrEqual(optimum + ROUNDING);
      const random = seededRandom(seed);
      const search = new PackingSearch(problem, { perPod: bound.perPod, random: () => random.next() });
      search.run(500);
      if (Number.isFinite(optimum)) reached.feasible += 1;
      if (search.best === null) return;
      const cost = packingCost(problem, search.best);
      expect(verifyPacking(problem, search.best, cost)).toEqual([]);
      expect(cost).toBeGreaterThanOrEqual(optimum - ROUNDING);
      if (cost <= optimum + ROUNDING) reached.optimum += 1;
    });
    fc.assert(property, { numRuns: 2_000 });
    expect(reached.feasible).toBeGreaterThan(1_000);
    expect(reached.optimum / reached.feasible).toBeGreaterThan(0.99);
  });

  test('so is each weaker bound, and none is above the one over classes', () => {
    const property = fc.property(smallProblems(), fc.integer({ min: 1, max: 3 }), (problem, maxClasses) => {
      const optimum = optimalCost(problem);
      const shapes = boundingShapes(problem);
      const byResources = resourceProgram(problem, shapes);
      const merged = mergeClasses(problem, maxClasses);
      const classSolution = solve(boundProgram(problem, shapes).program);
      const byClasses =
        classSolution === null ? Infinity : provenBound(problem, shapes, boundProgram(problem, shapes).pricesOf(classSolution));
      const weaker = [boundBySingleResource(problem).usdPerHour];
      const resourceSolution = solve(byResources.program);
      if (resourceSolution !== null) weaker.push(provenBound(problem, shapes, byResources.pricesOf(resourceSolution)));
      if (merged !== null) {
        const mergedShapes = boundingShapes(merged.problem);
        const program = boundProgram(merged.problem, mergedShapes);
        const solution = solve(program.program);
        if (solution !== null) weaker.push(provenBound(merged.problem, mergedShapes, program.pricesOf(solution)));
      }
      for (const bound of weaker) {
        expect(bound).toBeLessThanOrEqual(optimum + ROUNDING);
        expect(bound).toBeLessThanOrEqual(byClasses + ROUNDING);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});

test('every bound over patterns is at most the optimum, and the last is at least the one over classes', () => {
  const property = fc.property(smallProblems(), (problem) => {
    const bounds = [...patternBounds(problem, solve)];
    const optimum = optimalCost(problem);
    for (const bound of bounds) expect(bound).toBeLessThanOrEqual(optimum + ROUNDING);
    if (bounds.length === 0 || problem.maxNodes.some((most) => most !== Infinity)) return;
    const shapes = boundingShapes(problem);
    const program = boundProgram(problem, shapes);
    const byClasses = provenBound(problem, shapes, program.pricesOf(solve(program.program)!));
    expect(bounds.at(-1)).toBeGreaterThanOrEqual(byClasses - ROUNDING);
  });
  fc.assert(property, { numRuns: 500 });
});

describe('a bound is proven by its prices', () => {
  const { problem } = classifyPods(
    Array.from({ length: 7 }, () => aPodDemand()),
    [aMachineType(), aMachineType({ name: 'large', cpuMillicores: 8000, memoryMib: 16_384, usdPerHour: 0.35 })],
  );

  test('which may be wrong, and then prove less, not too much', () => {
    const shapes = boundingShapes(problem);
    const program = boundProgram(problem, shapes);
    const prices = program.pricesOf(solve(program.program)!);
    const bound = provenBound(problem, shapes, prices);
    expect(bound).toBeGreaterThan(0.3);
    expect(bound).toBeLessThanOrEqual(optimalCost(problem));
    const doubled = { ...prices, perPod: prices.perPod.map((price) => price * 2) };
    expect(provenBound(problem, shapes, doubled)).toBeLessThanOrEqual(optimalCost(problem));
  });

  test('over every class of pods that must be apart: one node for each', () => {
    const group = { name: 'apart', perNode: 1, isNecessary: true };
    const apart = classifyPods([aPodDemand({ group }), aPodDemand({ group, cpuMillicores: 10 })], [aMachineType()]).problem;
    const chosen = chooseBounds(apart).at(-1)!;
    expect(chosen.read(solve(chosen.program)!).usdPerHour).toBeCloseTo(0.2, 6);
  });

  test('with marginal prices that add up to it', () => {
    const chosen = chooseBounds(problem).at(-1)!;
    const { usdPerHour, unitPrices } = chosen.read(solve(chosen.program)!);
    expect(7 * (1000 * unitPrices[0]! + 1024 * unitPrices[1]! + unitPrices[3]!)).toBeCloseTo(usdPerHour, 6);
  });
});
