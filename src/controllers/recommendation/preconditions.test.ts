// A write of a Recommendation has a precondition on its version: what a suspended leader sent before may arrive after its successor's.

import { beforeEach, describe, expect, test } from '@jest/globals';
import { anAdvice } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';

let world: ResizeWorld;

beforeEach(async () => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
  world.setPolicy('all', { mode: 'Recommend' });
  await world.run(MINUTE_MS);
});

/** Status of the object on the API server, also where the informers show another. */
const stored = () => world.cluster.recommendationList[0]?.status;

/** Another client writes the object just before each of the next writes of the given kind. */
function writeBefore(kind: 'status' | 'delete', times: number): void {
  let left = times;
  world.onWrite = (write) => {
    if (write !== kind || left === 0) return;
    left -= 1;
    world.requestByUser({ paused: true });
    world.requestByUser({ paused: false });
  };
}

describe('A Recommendation that was written by others since it was read', () => {
  test('keeps its status, nothing is carried out, and the workload is decided again', async () => {
    world.setPolicy('all', { mode: 'Auto' });
    writeBefore('status', 1);
    const before = stored();
    expect(await world.reconcile(WEB)).toEqual({ requeueAfterMs: SECOND_MS });
    expect(stored()).toEqual(before);
    expect(world.cpus()).toEqual([500, 500, 500]);
    await world.run(2 * HOUR_MS);
    expect(stored()).toMatchObject({ mode: 'Auto' });
    expect(stored()?.lastApplied).toBeDefined();
  });

  test('is not deleted, and is deleted at the next attempt', async () => {
    world.setPolicy('all', { mode: 'Observe' });
    writeBefore('delete', 1);
    expect(await world.reconcile(WEB)).toEqual({ requeueAfterMs: SECOND_MS });
    expect(stored()).toBeDefined();
    await world.run(MINUTE_MS);
    expect(stored()).toBeUndefined();
  });
});

describe('Informers that are behind', () => {
  test('do not hold up the next write: it has the version of the last one', async () => {
    world.cluster.observedRecommendations = world.cluster.recommendationList;
    world.clock.advance(SECOND_MS);
    for (const mode of ['Auto', 'Recommend', 'Approve'] as const) {
      world.setPolicy('all', { mode });
      world.clock.advance(SECOND_MS);
      await world.reconcile(WEB);
      expect(stored()?.mode).toBe(mode);
    }
  });

  test('delay the write where others wrote after it, until they show what was written', async () => {
    const behind = world.cluster.recommendationList;
    world.requestByUser({ paused: true });
    world.cluster.observedRecommendations = behind;
    world.setPolicy('all', { mode: 'Approve' });
    expect(await world.reconcile(WEB)).toEqual({ requeueAfterMs: SECOND_MS });
    expect(stored()?.mode).toBe('Recommend');
    world.cluster.observedRecommendations = null;
    await world.run(MINUTE_MS);
    expect(stored()?.mode).toBe('Approve');
  });
});

test('A status that another client removes is written again', async () => {
  world.cluster.recommendationList = world.cluster.recommendationList.map(({ status: _status, ...rest }) => rest);
  world.requestByUser({ paused: false });
  expect(await world.reconcile(WEB)).toEqual({ requeueAfterMs: SECOND_MS });
  await world.run(MINUTE_MS);
  expect(stored()?.mode).toBe('Recommend');
});
