// Evictions through the gate, with what a disruption budget says about them.

import { beforeEach, expect, test } from '@jest/globals';
import { amounts, anAdvice, aPodRecord } from '../../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../../test/fakes/worlds/resize-world.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

beforeEach(async () => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice({ cpu: '900m', memory: '512Mi' })]);
  world.setPolicy('all', { mode: 'Auto', apply: 'InPlaceOrEvict', windows: [] });
  await world.run(HOUR_MS);
  expect(world.cpus()).toEqual([900, 900, 900]);
});

/** The node of web-1 gives it no more than it had. */
function refuseOnNode(): void {
  const had = { requests: amounts('500m', '512Mi'), limits: amounts(null, null) };
  world.setPods((pod) =>
    pod.name === 'web-1'
      ? {
          ...pod,
          resize: { state: 'infeasible', message: 'node n1 is too small', since: world.clock.now() },
          containers: pod.containers.map((container) => ({ ...container, actual: had })),
        }
      : pod,
  );
}

/** Written back, the pod waits for nothing any more; evicted, it is created anew elsewhere. */
function liveOn(): void {
  world.setPods((pod) =>
    pod.containers[0]?.requests.cpuMillicores === 500 ? { ...pod, resize: { state: 'none', message: '', since: null } } : pod,
  );
}

test('a budget that forbids it is waited for; then one pod goes, and its successor is given its size', async () => {
  world.budget = 'Cannot evict pod as it would violate the pod’s disruption budget.';
  refuseOnNode();
  await world.run(6 * MINUTE_MS);
  liveOn();
  expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'disruption-budget', evictions: { count: 0 } });
  expect(world.status().message).toContain('disruption budget');
  expect([world.evicted, world.cpus()]).toEqual([[], [500, 900, 900]]);

  world.budget = null;
  world.onEvicted = (uid) => {
    const successor = aPodRecord({ name: 'web-9', node: 'n2', labels: { workload: 'web' }, createdAt: world.clock.now() });
    world.cluster.podList = world.cluster.podList.map((pod) => (pod.uid === uid ? successor : pod));
  };
  await world.run(HOUR_MS);
  expect(world.evicted).toEqual(['web-1']);
  expect(world.cpus()).toEqual([900, 900, 900]);
  expect(world.events.filter(({ reason }) => reason === 'Evicted')).toHaveLength(1);
  expect(world.status().state).toBe('applied');
});

test('killed before the eviction and started again, it is evicted once', async () => {
  refuseOnNode();
  world.onEvicted = (uid) => {
    const successor = aPodRecord({ name: 'web-9', node: 'n2', labels: { workload: 'web' }, createdAt: world.clock.now() });
    world.cluster.podList = world.cluster.podList.map((pod) => (pod.uid === uid ? successor : pod));
  };
  for (let writes = 0; writes < 4; writes += 1) {
    world.diesAfterWrites = writes;
    await world.run(MINUTE_MS);
    liveOn();
    world.start();
  }
  await world.run(HOUR_MS);
  expect(world.evicted).toEqual(['web-1']);
  expect(world.cpus()).toEqual([900, 900, 900]);
});
