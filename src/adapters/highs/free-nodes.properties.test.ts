import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aMachineType, aPodDemand, optimalCost, smallProblems } from '../../../test/builders/packing.ts';
import { seededRandom } from '../../../test/fakes/seeded-random.ts';
import { boundBySingleResource, chooseBounds, type LowerBound } from '../../core/packing/choose-bound.ts';
import { firstFitWithOneType } from '../../core/packing/first-fit.ts';
import { packingCost } from '../../core/packing/packing.ts';
import { classifyPods, type PackingProblem, relaxProblem } from '../../core/packing/packing-problem.ts';
import { PackingSearch } from '../../core/packing/packing-search.ts';
import { patternBounds } from '../../core/packing/pattern-bound.ts';
import { type BlockingSolver, loadHighsSolver } from './highs-solver.ts';

const ROUNDING = 1e-6;

let solve: BlockingSolver;
beforeAll(async () => {
  solve = await loadHighsSolver();
});

/** All bounds, from the weakest; those without a solution are left out. */
function boundsOf(problem: PackingProblem): LowerBound[] {
  const chosen = chooseBounds(problem).flatMap(({ program, read }) => {
    const solution = solve(program);
    return solution === null ? [] : [read(solution)];
  });
  return [boundBySingleResource(problem), ...chosen];
}

/** The first shape becomes one or two free nodes, of whatever capacity is left on them. */
function freed(problem: PackingProblem, nodes: number): PackingProblem {
  const machineTypes = problem.machineTypes.map((type, shape) => (shape === 0 ? { ...type, usdPerHour: 0, maxNodes: nodes } : type));
  return {
    ...problem,
    machineTypes,
    usdPerHour: Float64Array.from(machineTypes, ({ usdPerHour }) => usdPerHour),
    maxNodes: Float64Array.from(machineTypes, ({ maxNodes }) => maxNodes ?? Infinity),
  };
}

describe('with nodes that are free and limited in number', () => {
  test('no bound is above the optimum, and no packing below it', () => {
    const property = fc.property(smallProblems(), fc.integer({ min: 1, max: 2 }), (given, nodes) => {
      const problem = freed(given, nodes);
      const optimum = optimalCost(problem);
      const relaxed = relaxProblem(problem);
      const bounds = [...boundsOf(relaxed).map(({ usdPerHour }) => usdPerHour), ...patternBounds(relaxed, solve)];
      for (const bound of bounds) expect(bound).toBeLessThanOrEqual(optimum + ROUNDING);
      const firstFit = firstFitWithOneType(problem, 3);
      if (firstFit !== null) expect(packingCost(problem, firstFit)).toBeGreaterThanOrEqual(optimum - ROUNDING);
    });
    fc.assert(property, { numRuns: 500 });
  });

  // Six pods of one core; one node with room for two of them stays; a new node holds two for 0.1.
  const types = [aMachineType({ name: 'stays', cpuMillicores: 2500, usdPerHour: 0, maxNodes: 1 }), aMachineType({ name: 'bought' })];
  const { problem } = classifyPods(
    Array.from({ length: 6 }, () => aPodDemand()),
    types,
  );

  test('bounds count what they do not hold', () => {
    const bounds = boundsOf(problem);
    expect(bounds.map(({ kind }) => kind)).toEqual(['single-resource', 'resources', 'classes']);
    for (const { usdPerHour } of bounds.slice(0, 2)) expect(usdPerHour).toBeCloseTo((6000 - 2500) / 20_000, 6);
    expect(bounds[2]!.usdPerHour).toBeCloseTo(0.2, 6);
    expect([...patternBounds(problem, solve)].at(-1)).toBeCloseTo(0.2, 6);
  });

  test('they are filled before a node is bought', () => {
    const random = seededRandom(1);
    const search = new PackingSearch(problem, { perPod: boundsOf(problem)[1]!.perPod, random: () => random.next() });
    search.run(100);
    expect(search.usdPerHour).toBeCloseTo(0.2, 9);
    expect(packingCost(problem, firstFitWithOneType(problem, 1)!)).toBeCloseTo(0.2, 9);
  });
});
