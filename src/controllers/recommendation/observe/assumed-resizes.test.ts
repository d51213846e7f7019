// Informers lag: until they show a resize, the resized pod does not count as unchanged.

import { beforeEach, expect, test } from '@jest/globals';
import { anAdvice } from '../../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../../test/fakes/worlds/resize-world.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

beforeEach(async () => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
  world.setPolicy('all', { mode: 'Auto' });
  world.setPods((pod) => (pod.name === 'web-1' ? { ...pod, ready: false } : pod));
});

/** web-2 is resized; then web-1 becomes ready, before the informers show the resize. */
async function canaryUnseen(): Promise<() => void> {
  const before = world.cluster.podList.map((pod) => ({ ...pod, ready: true }));
  await world.reconcile(WEB);
  expect(world.cpus()).toEqual([500, 100, 500]);
  const after = world.cluster.podList.map((pod) => ({ ...pod, ready: true }));
  world.cluster.podList = before;
  return () => void (world.cluster.podList = after);
}

test('only one canary is chosen, although the informers do not show it yet', async () => {
  const shown = await canaryUnseen();
  await world.reconcile(WEB);
  expect(world.cpus()).toEqual([500, 500, 500]);
  expect(world.status()).toMatchObject({ state: 'applying', message: expect.stringContaining('0 of 3 pods resized') });
  shown();
  await world.run(2 * HOUR_MS);
  expect(world.cpus()).toEqual([100, 100, 100]);
});

test('a resize that they never show was reverted by another writer: it is assumed for 30 s', async () => {
  await canaryUnseen();
  world.clock.advance(MINUTE_MS);
  await world.reconcile(WEB);
  expect(world.cpus().filter((cpu) => cpu === 100)).toHaveLength(1);
});
