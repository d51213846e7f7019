import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aMachineType, aPodDemand, smallProblems } from '../../../test/builders/packing.ts';
import { nodesByShape, type Packing, packingCost } from '../packing/packing.ts';
import { classifyPods, type MachineType, type PackingProblem } from '../packing/packing-problem.ts';
import { verifyPacking } from '../packing/verify-packing.ts';
import { firstFitDecreasing } from './first-fit-decreasing.ts';
import { karpenterLike } from './karpenter-like.ts';
import { leastWaste } from './least-waste.ts';

const METHODS = { firstFitDecreasing, karpenterLike, leastWaste };
const SMALL = aMachineType();
const LARGE = aMachineType({ name: 'large', cpuMillicores: 8000, memoryMib: 16_384, usdPerHour: 0.45 });

function problemOf(cpus: readonly number[], types: readonly MachineType[]): PackingProblem {
  return classifyPods(
    cpus.map((cpuMillicores) => aPodDemand({ cpuMillicores, memoryMib: 100 })),
    types,
  ).problem;
}

/** Nodes by name of the machine type. */
function nodesOf(problem: PackingProblem, packing: Packing | null): Record<string, number> {
  if (packing === null) throw new Error('no packing');
  return Object.fromEntries(
    nodesByShape(problem, packing).flatMap((count, shape) => (count === 0 ? [] : [[problem.machineTypes[shape]!.name, count]])),
  );
}

test.each(Object.entries(METHODS))('%s keeps every rule of a packing', (_, method) => {
  const property = fc.property(smallProblems(), (problem) => {
    const packing = method(problem);
    if (packing !== null) expect(verifyPacking(problem, packing, packingCost(problem, packing))).toEqual([]);
  });
  fc.assert(property, { numRuns: 300 });
});

describe('first-fit-decreasing', () => {
  test('puts the largest pods first, each on the first node with room', () => {
    // By ascending size, 500 and 700 would share a node, and three nodes be needed.
    const problem = problemOf([500, 700, 1300, 1500], [SMALL]);
    expect(nodesOf(problem, firstFitDecreasing(problem))).toEqual({ small: 2 });
  });

  test('takes the machine type with which that is cheapest, and another for pods that do not fit on it', () => {
    const problem = problemOf([5000, 1000, 1000, 1000, 1000, 1000], [SMALL, LARGE]);
    expect(nodesOf(problem, firstFitDecreasing(problem))).toEqual({ small: 1, large: 1 });
    const dearLarge = problemOf([1000, 1000, 1000], [SMALL, { ...LARGE, usdPerHour: 0.6 }]);
    expect(nodesOf(dearLarge, firstFitDecreasing(dearLarge))).toEqual({ small: 2 });
  });

  test('finds nothing where the pods need more nodes than may be bought', () => {
    expect(firstFitDecreasing(problemOf([2000, 2000], [{ ...SMALL, maxNodes: 1 }]))).toBeNull();
  });
});

describe('Karpenter-like', () => {
  test('collects pods as long as one machine type holds them all, and launches the cheapest that does', () => {
    const problem = problemOf([1000, 1000, 1000, 1000, 1000], [SMALL, LARGE]);
    // Five cores in small nodes would cost 0.3.
    expect(nodesOf(problem, karpenterLike(problem))).toEqual({ large: 1 });
    const full = problemOf([1000, 1000], [SMALL, LARGE]);
    expect(nodesOf(full, karpenterLike(full))).toEqual({ small: 1 });
  });

  test('prefers the claim with the fewest pods', () => {
    const problem = problemOf([6000, 6000, 500, 500], [LARGE]);
    const packing = karpenterLike(problem)!;
    expect(packing.nodes).toEqual([{ shape: 0, classes: [0, 1], counts: [1, 1], copies: 2 }]);
  });
});

describe('least-waste', () => {
  test('grows the group whose nodes would be left with the least unused', () => {
    // Four cores in 2 of small: 92 % of the memory is unused; in large, half the CPU is unused, too.
    const problem = problemOf([2000, 2000], [SMALL, LARGE]);
    expect(nodesOf(problem, leastWaste(problem))).toEqual({ small: 2 });
  });

  test('grows another group for the pods that are still pending', () => {
    const problem = problemOf([6000, 2000], [{ ...LARGE, cpuMillicores: 6000 }, SMALL]);
    expect(nodesOf(problem, leastWaste(problem))).toEqual({ small: 1, large: 1 });
  });
});
