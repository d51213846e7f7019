// Clusters in failure: writes refused, no answers, clocks that jump.

import { beforeEach, describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aPodRecord, aWorkloadRecord, pods } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import type { PodResizePolicySpec } from '../../apis/v1alpha1/index.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';

const MANY = 60;
const MORE = anAdvice({ cpu: '800m', memory: '512Mi' });

let world: ResizeWorld;

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [MORE]);
  world.setPolicy('all', { mode: 'Auto' });
});

function many(count: number): void {
  const labels = { workload: 'web' };
  world.cluster.podList = pods(count).map((pod) => ({ ...pod, labels }));
}

/** Attempted raises, by pod. */
function raises(): ReadonlyMap<string, number> {
  const tries = new Map<string, number>();
  world.refuse = ({ uid, containers }) => {
    if (containers.some(({ from, to }) => (to.requests.cpuMillicores ?? 0) > (from.requests.cpuMillicores ?? 0))) {
      tries.set(uid, (tries.get(uid) ?? 0) + 1);
    }
    return null;
  };
  return tries;
}

describe('a workload of more pods than its status can hold failures', () => {
  test('is not resized repeatedly after refusals', async () => {
    many(MANY);
    const tries = new Map<string, number>();
    world.refuse = ({ uid }) => {
      tries.set(uid, (tries.get(uid) ?? 0) + 1);
      return { kind: 'refused', status: 403, message: 'admission webhook "deny" denied the request' };
    };
    await world.run(6 * HOUR_MS);
    expect(Math.max(...tries.values())).toBeLessThanOrEqual(7);
    expect(world.status()).toMatchObject({ state: 'awaiting' });
  });

  test('does not reserve repeatedly what no node has', async () => {
    many(MANY);
    const tries = raises();
    for (let minute = 0; minute < 6 * 60; minute += 1) {
      await world.run(MINUTE_MS);
      // Kubelets report every resize above the size at creation as infeasible.
      world.setPods((pod) => {
        const main = pod.containers[0]!;
        const grown = (main.requests.cpuMillicores ?? 0) > 500;
        const actual = { requests: amounts('500m', '512Mi'), limits: amounts(null, null) };
        return {
          ...pod,
          containers: [{ ...main, actual }],
          resize: grown
            ? { state: 'infeasible', message: 'Node did not have enough capacity', since: pod.resize.since ?? world.clock.now() }
            : { state: 'none', message: '', since: null },
        };
      });
    }
    expect(Math.max(...tries.values())).toBeLessThanOrEqual(2);
  });
});

describe('changes without progress', () => {
  const LESS = anAdvice({ cpu: '100m', memory: '128Mi' });
  const NAMES = ['a', 'b'];

  /** Two workloads with a change under way, which is maxConcurrent. */
  async function inTheMiddle(): Promise<void> {
    world.setPolicy('all', { mode: 'Auto', maxConcurrent: 2 });
    world.advice.set(WEB, []);
    for (const name of NAMES) {
      const workload = aWorkloadRecord({ name, uid: `uid-${name}` });
      world.addWorkload(
        workload,
        [1, 2, 3].map((index) => aPodRecord({ name: `${name}-${index}` })),
      );
      world.advice.set(`shop/Deployment/${name}`, [LESS]);
    }
    world.start();
    await world.run(5 * MINUTE_MS);
    for (const name of NAMES) expect(world.status(`shop/Deployment/${name}`).apply).toBeDefined();
  }

  test.each<[string, () => void]>([
    ['scaled to zero', () => (world.cluster.podList = world.cluster.podList.filter(isOfWeb))],
    [
      'their pods are never ready',
      () => world.setPods((pod) => (isOfWeb(pod) ? pod : { ...pod, ready: false, readySince: null, unreadySince: 0 })),
    ],
    [
      'their nodes have been at it for hours',
      () => {
        const since = world.clock.now();
        world.setPods((pod) => (isOfWeb(pod) ? pod : { ...pod, resize: { state: 'in-progress', message: '', since } }));
      },
    ],
  ])('do not block other workloads: %s', async (_, happens) => {
    await inTheMiddle();
    happens();
    world.advice.set(WEB, [LESS]);
    await world.run(3 * HOUR_MS);
    expect(world.cpus().slice(0, 3)).toEqual([100, 100, 100]);
  });

  function isOfWeb({ name }: { readonly name: string }): boolean {
    return name.startsWith('web-');
  }
});

describe('a clock that is set back by an hour', () => {
  const IDLE: PodResizePolicySpec = { mode: 'Auto', idle: { enabled: true, after: '8h', cpuThreshold: '5m', cpu: '10m' } };
  const activity = { cpuMillicores: 1, maxCpuMillicores: 800, lastInUseAt: null, reported: new Set(['web-1', 'web-2', 'web-3']) };

  test('leaves no workload idled that is in use', async () => {
    world.advice.set(WEB, [anAdvice({ cpu: '500m', memory: '512Mi' })]);
    world.setPolicy('all', IDLE);
    world.activity.set(WEB, { ...activity, belowThresholdSince: world.clock.now() - 9 * HOUR_MS });
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
    world.setClockBack(HOUR_MS);
    await world.run(MINUTE_MS);
    world.activity.set(WEB, { ...activity, belowThresholdSince: null, cpuMillicores: 400, lastInUseAt: world.clock.now() + 5 * MINUTE_MS });
    await world.run(6 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('counts a change with a future timestamp as one of now: no cool-down lasts longer than configured', async () => {
    world.advice.set(WEB, [anAdvice({ cpu: '100m', memory: '512Mi' })]);
    world.setPolicy('all', { mode: 'Auto', cooldown: '90m' });
    for (let minute = 0; minute < 60 && world.status().state !== 'applied'; minute += 1) await world.run(MINUTE_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
    world.setClockBack(HOUR_MS);
    world.advice.set(WEB, [anAdvice({ cpu: '120m', memory: '512Mi', cpuAdvice: { lowerBound: 90 } })]);
    await world.run(25 * MINUTE_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
    await world.run(90 * MINUTE_MS);
    expect(world.cpus()).toEqual([120, 120, 120]);
  });

  test('publishes no status that is older than the one before it', async () => {
    world.advice.set(WEB, [anAdvice({ cpu: '100m', memory: '512Mi' })]);
    await world.run(HOUR_MS);
    const before = world.status().updatedAt ?? '';
    world.setClockBack(HOUR_MS);
    await world.run(6 * MINUTE_MS);
    // The informers still show the earlier status: a decision based on it would start the same change again.
    expect((world.status().updatedAt ?? '') > before).toBe(true);
    expect(world.status().apply).toEqual(world.decisions.find(WEB)?.status.apply);
  });
});

describe('pods that cannot be reduced in place', () => {
  const IDLE: PodResizePolicySpec = { mode: 'Auto', idle: { enabled: true, after: '8h', cpuThreshold: '5m', cpu: '10m' } };
  const reported = new Set(['web-1', 'web-2', 'web-3']);

  test.each<[string, () => void]>([
    [
      'a Guaranteed pod, whose limits stay while it is idle',
      () =>
        world.setPods((pod) => {
          const requests = amounts('500m', '512Mi');
          const both = { requests, limits: requests };
          return { ...pod, qosClass: 'Guaranteed', containers: pod.containers.map((each) => ({ ...each, ...both, actual: both })) };
        }),
    ],
    ['one on Windows', () => world.setPods((pod) => ({ ...pod, windows: true }))],
    ['one with pod-level resources', () => world.setPods((pod) => ({ ...pod, sizedAsWhole: true }))],
  ])('are not idled: %s', async (_, are) => {
    world.advice.set(WEB, [anAdvice({ cpu: '500m', memory: '512Mi' })]);
    are();
    world.setPolicy('all', IDLE);
    world.activity.set(WEB, {
      belowThresholdSince: world.clock.now() - 9 * HOUR_MS,
      cpuMillicores: 1,
      maxCpuMillicores: 800,
      lastInUseAt: null,
      reported,
    });
    await world.run(HOUR_MS);
    for (const cpu of world.cpus()) expect(cpu).toBeGreaterThanOrEqual(500);
    expect(world.status().state).not.toBe('idle');
    expect(world.status().message).toMatch(/^idle, no load for/);
  });
});

test('an exhausted quota whose scopes exclude the pod blocks nothing', async () => {
  const used = amounts('4', '8Gi');
  const quota = { namespace: 'shop', name: 'batch', hardRequests: used, hardLimits: used, usedRequests: used, usedLimits: used };
  world.cluster.quotaList = [quota];
  await world.run(5 * MINUTE_MS);
  expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'quota' });
  world.cluster.quotaList = [{ ...quota, excludesSomePods: true }];
  await world.run(10 * MINUTE_MS);
  expect(world.cpus()).toEqual([800, 800, 800]);
});
