import { beforeEach, describe, expect, test } from '@jest/globals';
import { anAdvice } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/resize-world.ts';
import { HOUR_MS, MiB, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

/** Deleted by a person, who wants nothing applied from now on; the process that runs is not told before it looks. */
const deleteIt = (): void => {
  world.cluster.recommendationList = [];
  world.setPolicy('all', { mode: 'Recommend' });
};

/** As pods are that were created anew: with nothing in force they are left alone. */
const undoSizes = (): void => world.setPods((pod) => ({ ...pod, containers: pod.containers.map((each) => ({ ...each, ...asDeployed })) }));
const asDeployed = { requests: { cpuMillicores: 500, memoryBytes: 512 * MiB } };

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
  world.setPolicy('all', { mode: 'Auto' });
});

/** What a process remembers that goes on for a while after the deletion, its failed tries repeated. */
async function rememberedAfter(): Promise<unknown[]> {
  for (let tries = 0; tries < 3; tries += 1) await world.run(5 * MINUTE_MS).catch(() => undefined);
  const { mode, apply, lastApplied, previous } = world.status();
  return [mode, apply, lastApplied, previous];
}
const NOTHING = ['Recommend', undefined, undefined, undefined];

describe('a Recommendation that is deleted is forgotten', () => {
  test.each<[string, () => void]>([
    ['by the process that runs', () => undefined],
    ['by one that is started anew', () => world.start()],
  ])('%s', async (_, meanwhile) => {
    await world.run(2 * HOUR_MS);
    expect(world.status().lastApplied).toBeDefined();
    undoSizes();
    deleteIt();
    meanwhile();
    expect(await rememberedAfter()).toEqual(NOTHING);
  });

  test('also where it is deleted while advice is made', async () => {
    await world.run(10 * MINUTE_MS);
    expect(world.status().apply).toBeDefined();
    world.onAdvise = () => {
      world.onAdvise = () => undefined;
      deleteIt();
    };
    undoSizes();
    expect(await rememberedAfter()).toEqual(NOTHING);
  });

  const WRITES = 24;
  test.each(Array.from({ length: WRITES }, (_, index) => index + 1))('also where that falls just before write %i', async (nth) => {
    await world.run(1);
    let writes = 0;
    world.onWrite = () => {
      writes += 1;
      if (writes === nth) deleteIt();
    };
    await world.run(2 * HOUR_MS).catch(() => undefined);
    expect(writes).toBeGreaterThanOrEqual(nth);
    expect(await rememberedAfter()).toEqual(NOTHING);
  });
});
