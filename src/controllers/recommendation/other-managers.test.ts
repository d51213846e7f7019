import { beforeEach, describe, expect, test } from '@jest/globals';
import { amounts, anAdvice } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';

let world: ResizeWorld;

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
  world.setPolicy('all', { mode: 'Auto' });
});

/** Resizes a pod as `kubectl patch pod --subresource resize` does. */
function resizeBy(manager: string): void {
  const requests = amounts('700m', '512Mi');
  const at = Math.floor(world.clock.now() / SECOND_MS) * SECOND_MS;
  world.setPods((pod) =>
    pod.name === 'web-2'
      ? { ...pod, resizedBy: { manager, at }, containers: pod.containers.map((container) => ({ ...container, requests })) }
      : pod,
  );
}

describe('a pod that another field manager has resized', () => {
  beforeEach(async () => {
    await world.run(4 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('keeps that size for an hour, and the message names the field manager', async () => {
    resizeBy('kubectl-patch');
    await world.run(50 * MINUTE_MS);
    expect(world.cpus()).toEqual([100, 700, 100]);
    expect(world.status()).toMatchObject({
      state: 'blocked',
      reason: 'other-manager',
      message: expect.stringContaining('web-2 was resized by kubectl-patch at 2026-11-20T16:00:00.000Z'),
      until: '2026-11-20T17:05:00.000Z',
    });
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
    expect(world.status().state).toBe('applied');
  });

  test('repeatedly is left alone for longer each time, across restarts', async () => {
    let resizes = 0;
    world.setPolicy('all', { mode: 'Auto', interval: '30m' });
    for (let minutes = 0; minutes < 9 * 24 * 60; minutes += 30) {
      if (world.cpus()[1] === 100) {
        resizeBy('other-tool');
        resizes += 1;
      }
      if (minutes % 600 === 0) world.start();
      await world.run(30 * MINUTE_MS);
    }
    // At once, after 1 hour, after 6 more, after a week.
    expect(resizes).toBe(4);
    expect(world.status()).toMatchObject({ state: 'blocked', externalResizes: { by: 'other-tool', count: 4 } });
  });

  test('is forgotten after a week without another resize', async () => {
    world.setPolicy('all', { mode: 'Auto', interval: '1h' });
    resizeBy('other-tool');
    await world.run(2 * HOUR_MS + 7 * DAY_MS);
    expect(world.status().externalResizes).toBeUndefined();
  });

  test('by Evenkeel itself does not count', async () => {
    resizeBy('evenkeel-controller');
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });
});

describe('a VerticalPodAutoscaler', () => {
  const target = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };

  test.each(['Auto', 'Recreate', 'InPlaceOrRecreate', 'InPlace'])('in mode %s blocks Evenkeel from the workload', async (updateMode) => {
    world.cluster.vpaList = [{ namespace: 'shop', name: 'web-vpa', target, updateMode }];
    await world.run(4 * HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    const message = expect.stringContaining(`VerticalPodAutoscaler web-vpa sizes the pods (updateMode ${updateMode})`) as unknown;
    expect(world.status()).toMatchObject({ state: 'blocked', reason: 'other-manager', message });
  });

  test.each(['Off', 'Initial'])('in mode %s blocks nothing, whatever it wrote on the pods', async (updateMode) => {
    world.cluster.vpaList = [{ namespace: 'shop', name: 'web-vpa', target, updateMode }];
    world.setPods((pod) => ({ ...pod, annotations: { vpaUpdates: 'Pod resources updated by web-vpa: container 0: cpu request' } }));
    await world.run(4 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('of another workload blocks nothing', async () => {
    world.cluster.vpaList = [{ namespace: 'shop', name: 'api', target: { ...target, name: 'api' }, updateMode: 'Auto' }];
    await world.run(4 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });
});
