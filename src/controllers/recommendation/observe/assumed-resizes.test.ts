// The informers show what was written a moment later: until then a pod that was resized is not taken for one that was not.

import { beforeEach, expect, test } from '@jest/globals';
import { anAdvice } from '../../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../../test/fakes/resize-world.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

beforeEach(async () => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
  world.setPolicy('all', { mode: 'Auto' });
  world.setPods((pod) => (pod.name === 'web-1' ? { ...pod, ready: false } : pod));
});

/** web-2 is resized; then web-1 becomes ready, and the informers have not shown the first yet. */
async function canaryUnseen(): Promise<() => void> {
  const before = world.cluster.podList.map((pod) => ({ ...pod, ready: true }));
  await world.reconcile(WEB);
  expect(world.cpus()).toEqual([500, 100, 500]);
  const after = world.cluster.podList.map((pod) => ({ ...pod, ready: true }));
  world.cluster.podList = before;
  return () => void (world.cluster.podList = after);
}

test('one pod goes first, although the informers do not show it yet', async () => {
  const shown = await canaryUnseen();
  await world.reconcile(WEB);
  expect(world.cpus()).toEqual([500, 500, 500]);
  expect(world.status()).toMatchObject({ state: 'applying', message: expect.stringContaining('0 of 3 pods have it') });
  shown();
  await world.run(2 * HOUR_MS);
  expect(world.cpus()).toEqual([100, 100, 100]);
});

test('what they never show was undone by somebody: it is believed for half a minute', async () => {
  await canaryUnseen();
  world.clock.advance(MINUTE_MS);
  await world.reconcile(WEB);
  expect(world.cpus().filter((cpu) => cpu === 100)).toHaveLength(1);
});
