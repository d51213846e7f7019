import { describe, expect, test } from '@jest/globals';
import { aMachineType, aPodDemand } from '../../../test/builders/packing.ts';
import type { PackedNodes } from './packing.ts';
import { classifyPods, type PackingProblem, type PodDemand } from './packing-problem.ts';
import { verifyPacking } from './verify-packing.ts';

const SMALL = aMachineType({ maxPods: 3, maxNodes: 2 });
const LARGE = aMachineType({ name: 'large', cpuMillicores: 8000, memoryMib: 16_384, maxPods: 3, usdPerHour: 0.4 });

function problemOf(...pods: readonly PodDemand[]): PackingProblem {
  return classifyPods(pods, [SMALL, LARGE]).problem;
}

function nodes(shape: number, counts: readonly number[], copies = 1): PackedNodes {
  return { shape, classes: [...counts.keys()].filter((at) => counts[at] !== 0), counts: counts.filter((count) => count > 0), copies };
}

function codesOf(problem: PackingProblem, packed: readonly PackedNodes[], usdPerHour: number): string[] {
  return verifyPacking(problem, { nodes: packed }, usdPerHour).map(({ code }) => code);
}

describe('a packing', () => {
  const four = problemOf(aPodDemand(), aPodDemand(), aPodDemand(), aPodDemand());

  test('of every pod once, within capacity, at the sum of its prices, has no violation', () => {
    expect(codesOf(four, [nodes(0, [2], 2)], 0.2)).toEqual([]);
    expect(codesOf(four, [nodes(0, [1]), nodes(1, [3])], 0.5)).toEqual([]);
  });

  test.each<readonly [string, readonly PackedNodes[], number]>([
    ['pod-count', [nodes(0, [2]), nodes(0, [1])], 0.2],
    ['pod-count', [nodes(1, [3]), nodes(0, [2])], 0.5],
    ['capacity', [nodes(0, [3]), nodes(0, [1])], 0.2],
    ['max-nodes', [nodes(0, [1], 4)], 0.4],
    ['cost', [nodes(0, [2], 2)], 0.19],
    ['cost', [nodes(0, [2], 2)], Number.NaN],
  ])('has the violation %s', (code, packed, usdPerHour) => {
    expect(codesOf(four, packed, usdPerHour)).toEqual([code]);
  });

  test('counts pods against the maximum of a node', () => {
    const tiny = problemOf(...Array.from({ length: 4 }, () => aPodDemand({ cpuMillicores: 1, memoryMib: 1 })));
    expect(codesOf(tiny, [nodes(0, [4])], 0.1)).toEqual(['capacity']);
  });

  test('keeps pods on the machine types that their filters allow', () => {
    const filtered = problemOf(aPodDemand({ machineTypes: ['large'] }));
    expect(codesOf(filtered, [nodes(0, [1])], 0.1)).toEqual(['filter']);
    expect(codesOf(filtered, [nodes(1, [1])], 0.4)).toEqual([]);
  });

  test('keeps pods of a group apart, also of different sizes', () => {
    const group = { name: 'web', perNode: 1, isNecessary: true };
    const apart = problemOf(aPodDemand({ group }), aPodDemand({ group, cpuMillicores: 500 }));
    expect(codesOf(apart, [nodes(1, [1, 1])], 0.4)).toEqual(['group']);
    expect(codesOf(apart, [nodes(0, [1, 0]), nodes(0, [0, 1])], 0.2)).toEqual([]);
  });

  test.each([
    ['an unknown shape', nodes(2, [4])],
    ['an unknown class', { shape: 1, classes: [1], counts: [1], copies: 1 }],
    ['half a pod', { shape: 1, classes: [0], counts: [0.5], copies: 8 }],
    ['no copy', { shape: 1, classes: [0], counts: [4], copies: 0 }],
    ['classes without counts', { shape: 1, classes: [0], counts: [], copies: 1 }],
  ])('is refused for %s', (_, packed) => {
    expect(codesOf(four, [packed], 0.4)).toContain('malformed');
  });
});

describe('pods', () => {
  test('are classes by their demands, whatever their order', () => {
    const pods = [aPodDemand(), aPodDemand({ cpuMillicores: 500 }), aPodDemand(), aPodDemand({ gpus: 1 })];
    const { problem, classOf } = classifyPods(pods, [SMALL, LARGE]);
    expect([...problem.podCounts]).toEqual([1, 2, 1]);
    expect([...classOf]).toEqual([1, 2, 1, 0]);
    expect(classifyPods(pods.toReversed(), [SMALL, LARGE]).problem).toEqual(problem);
  });

  test('fit on a node by the scarcest resource, and not where they need a GPU that it lacks', () => {
    const { problem } = classifyPods([aPodDemand({ memoryMib: 4096 }), aPodDemand({ gpus: 1 })], [SMALL, LARGE]);
    expect([...problem.mostPerNode]).toEqual([1, 3, 0, 0]);
  });
});
