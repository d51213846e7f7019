import { describe, expect, test } from '@jest/globals';
import { aMachineType, aPodDemand } from '../../../test/builders/packing.ts';
import { seededRandom } from '../../../test/fakes/seeded-random.ts';
import { boundBySingleResource } from './choose-bound.ts';
import { firstFitWithOneType } from './first-fit.ts';
import { type Packing, packingCost } from './packing.ts';
import { classifyPods, type MachineType, type PackingProblem, type PodDemand } from './packing-problem.ts';
import { PackingSearch } from './packing-search.ts';
import { usefulShapes } from './useful-shapes.ts';
import { verifyPacking } from './verify-packing.ts';

const TYPES = [2, 4, 8, 16].flatMap((cores) =>
  [1, 4, 8].map((ratio) =>
    aMachineType({
      name: `c${cores}-m${ratio}`,
      cpuMillicores: cores * 1000,
      memoryMib: cores * ratio * 1024,
      usdPerHour: cores * (0.02 + ratio * 0.003),
    }),
  ),
);

/** Pods of many sizes. */
function somePods(count: number): PodDemand[] {
  const random = seededRandom(5);
  return Array.from({ length: count }, () =>
    aPodDemand({ cpuMillicores: 100 + Math.floor(random.next() * 30) * 100, memoryMib: 128 + Math.floor(random.next() * 12) * 512 }),
  );
}

function searchOf(problem: PackingProblem, { seed = 1 } = {}): PackingSearch {
  const random = seededRandom(seed);
  return new PackingSearch(problem, { perPod: boundBySingleResource(problem).perPod, random: () => random.next() });
}

function costOf(problem: PackingProblem, packing: Packing | null): number {
  return packing === null ? Infinity : packingCost(problem, packing);
}

describe('a search', () => {
  const { problem } = classifyPods(somePods(200), TYPES);

  test('never gets dearer, and keeps every rule', () => {
    const search = searchOf(problem);
    let last = costOf(problem, search.best);
    const first = last;
    for (let slice = 0; slice < 20; slice += 1) {
      search.run(2_000);
      const cost = costOf(problem, search.best);
      expect(cost).toBeLessThanOrEqual(last + 1e-6);
      expect(search.usdPerHour).toBeCloseTo(cost, 6);
      expect(verifyPacking(problem, search.best!, cost)).toEqual([]);
      last = cost;
    }
    expect(last).toBeLessThan(first * 0.99);
  });

  test('ends with the fewest nodes where others cost the same', () => {
    const cores = [1, 2, 3, 4].map((count) => aMachineType({ name: `c${count}`, cpuMillicores: count * 1000, usdPerHour: count / 16 }));
    const pods = Array.from({ length: 40 }, () => aPodDemand({ memoryMib: 1 }));
    const search = searchOf(classifyPods(pods, cores).problem);
    search.run(100_000);
    expect(search.usdPerHour).toBe(40 / 16);
    expect(search.best!.nodes.reduce((sum, { copies }) => sum + copies, 0)).toBe(10);
  });

  test('begins with nodes near the mean size where pods must be apart, so that none of them is nearly empty', () => {
    // A node offers less than it costs by 100 millicores, so that one large node would be the best for its price.
    const cores = Array.from({ length: 60 }, (_, at) =>
      aMachineType({ name: `c${at + 1}`, cpuMillicores: (at + 1) * 1000 - 100, memoryMib: 1e6, usdPerHour: at + 1 }),
    );
    const group = { name: 'apart', perNode: 1, isNecessary: true };
    const pods = [
      ...Array.from({ length: 20 }, () => aPodDemand({ cpuMillicores: 300, group })),
      ...Array.from({ length: 120 }, () => aPodDemand({ cpuMillicores: 400 })),
    ];
    const { problem } = classifyPods(pods, cores);
    const { usdPerHour } = boundBySingleResource(problem);
    expect(searchOf(problem).usdPerHour).toBeLessThan(usdPerHour * 1.2);
  });

  test('ends the same for the same steps, in one part or in many', () => {
    const whole = searchOf(problem);
    whole.run(9_000);
    const inParts = searchOf(problem);
    for (const steps of [1, 999, 5_000, 3_000]) inParts.run(steps);
    expect(inParts.best).toEqual(whole.best);
    expect(inParts.steps).toBe(whole.steps);
    const otherSeed = searchOf(problem, { seed: 2 });
    otherSeed.run(9_000);
    expect(otherSeed.best).not.toEqual(whole.best);
  });

  test('ends the same whatever the order of the pods', () => {
    const reversed = classifyPods(somePods(200).toReversed(), TYPES).problem;
    const [one, other] = [searchOf(problem), searchOf(reversed)];
    one.run(3_000);
    other.run(3_000);
    expect(other.best).toEqual(one.best);
  });

  test('begins with a packing that is no dearer than first fit with the most promising machine type', () => {
    expect(costOf(problem, searchOf(problem).best)).toBeLessThanOrEqual(costOf(problem, firstFitWithOneType(problem, 1)));
  });

  test('uses no more nodes of a type than its maximum, and finds none where the pods need more', () => {
    const limited = (maxNodes: number): PackingProblem => {
      return classifyPods(
        Array.from({ length: 8 }, () => aPodDemand()),
        [aMachineType({ maxNodes })],
      ).problem;
    };
    const enough = searchOf(limited(4));
    enough.run(1_000);
    expect(costOf(limited(4), enough.best)).toBeCloseTo(0.4, 9);
    const tooFew = searchOf(limited(3));
    tooFew.run(1_000);
    expect(tooFew.best).toBeNull();
    expect(tooFew.usdPerHour).toBeNull();
  });

  test('keeps pods of a group on nodes of their own', () => {
    const group = { name: 'web', perNode: 1, isNecessary: true };
    const apart = classifyPods([aPodDemand({ group }), aPodDemand({ group, cpuMillicores: 10 }), aPodDemand()], [aMachineType()]).problem;
    const search = searchOf(apart);
    search.run(200);
    expect(costOf(apart, search.best)).toBeCloseTo(0.2, 9);
    expect(verifyPacking(apart, search.best!, 0.2)).toEqual([]);
  });
});

describe('shapes that are useful', () => {
  const names = (types: readonly MachineType[]): string[] => {
    const { problem } = classifyPods([aPodDemand(), aPodDemand({ machineTypes: ['special'] })], types);
    return usefulShapes(problem).map((shape) => problem.machineTypes[shape]!.name);
  };
  const special = aMachineType({ name: 'special', usdPerHour: 5 });

  test('are those that no other one replaces, the cheapest first', () => {
    const large = aMachineType({ name: 'large', cpuMillicores: 8000, usdPerHour: 0.2 });
    const dear = aMachineType({ name: 'dear', usdPerHour: 0.3 });
    expect(names([dear, large, special, aMachineType()])).toEqual(['small', 'large', 'special']);
  });

  test('are one of two equal ones, and one that is limited replaces none', () => {
    expect(names([special, aMachineType({ name: 'b' }), aMachineType({ name: 'a' })])).toEqual(['b', 'special']);
    const cheap = aMachineType({ name: 'cheap', usdPerHour: 0.05, maxNodes: 1 });
    expect(names([special, aMachineType(), cheap])).toEqual(['cheap', 'small', 'special']);
  });
});
