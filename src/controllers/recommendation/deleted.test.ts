import { beforeEach, describe, expect, test } from '@jest/globals';
import { anAdvice } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { HOUR_MS, MiB, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

/** A user deletes the Recommendation and sets a mode that applies nothing; the running process sees it at its next reconcile. */
const deleteRecommendation = (): void => {
  world.cluster.recommendationList = [];
  world.setPolicy('all', { mode: 'Recommend' });
};

/** Gives the pods their template's size, as if they were replaced: with nothing in force they are not resized. */
const restoreTemplateSizes = (): void =>
  world.setPods((pod) => ({ ...pod, containers: pod.containers.map((each) => ({ ...each, ...asDeployed })) }));
const asDeployed = { requests: { cpuMillicores: 500, memoryBytes: 512 * MiB } };

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
  world.setPolicy('all', { mode: 'Auto' });
});

/** The memory of a process that keeps reconciling after the deletion, with retries. */
async function memoryAfter(): Promise<unknown[]> {
  for (let tries = 0; tries < 3; tries += 1) await world.run(5 * MINUTE_MS).catch(() => undefined);
  const { mode, apply, lastApplied, previous } = world.status();
  return [mode, apply, lastApplied, previous];
}
const NOTHING = ['Recommend', undefined, undefined, undefined];

describe('the memory of a deleted Recommendation is discarded', () => {
  test.each<[string, () => void]>([
    ['by the running process', () => undefined],
    ['by a new process', () => world.start()],
  ])('%s', async (_, meanwhile) => {
    await world.run(2 * HOUR_MS);
    expect(world.status().lastApplied).toBeDefined();
    restoreTemplateSizes();
    deleteRecommendation();
    meanwhile();
    expect(await memoryAfter()).toEqual(NOTHING);
  });

  test('also where it is deleted while advice is computed', async () => {
    await world.run(10 * MINUTE_MS);
    expect(world.status().apply).toBeDefined();
    world.onAdvise = () => {
      world.onAdvise = () => undefined;
      deleteRecommendation();
    };
    restoreTemplateSizes();
    expect(await memoryAfter()).toEqual(NOTHING);
  });

  const WRITES = 24;
  test.each(Array.from({ length: WRITES }, (_, index) => index + 1))('also where it is deleted just before write %i', async (nth) => {
    await world.run(1);
    let writes = 0;
    world.onWrite = () => {
      writes += 1;
      if (writes === nth) deleteRecommendation();
    };
    await world.run(2 * HOUR_MS).catch(() => undefined);
    expect(writes).toBeGreaterThanOrEqual(nth);
    expect(await memoryAfter()).toEqual(NOTHING);
  });
});
