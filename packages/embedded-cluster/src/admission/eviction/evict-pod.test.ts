import { describe, expect, test } from '@jest/globals';
import { aWirePod } from '../../../testing/workloads.ts';
import { FakeClusterAccess } from '../../../testing/fake-cluster-access.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import type { DisruptionBudgetStatus } from '../../controllers/wire/policy.ts';
import type { ApiStatusError } from '../../api/api-error.ts';
import { embeddedActions } from '../index.ts';

interface Scene {
  readonly ready?: boolean;
  readonly phase?: string;
  readonly policy?: string;
  readonly allowed?: number;
  readonly healthy?: number;
  readonly desired?: number;
  readonly observedGeneration?: number;
  readonly budgets?: number;
}

function set({
  ready = true,
  phase = 'Running',
  policy,
  allowed = 1,
  healthy = 3,
  desired = 2,
  observedGeneration = 1,
  budgets = 1,
}: Scene): FakeClusterAccess {
  const cluster = new FakeClusterAccess(new ManualClock(), { actions: embeddedActions() });
  cluster.create('pods', aWirePod({ ready, phase, node: 'n1' }));
  for (let index = 0; index < budgets; index += 1) {
    const status: DisruptionBudgetStatus = {
      observedGeneration,
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: 3,
    };
    cluster.create('poddisruptionbudgets.policy', {
      kind: 'PodDisruptionBudget',
      metadata: { name: `b${String(index)}`, namespace: 'shop' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        maxUnavailable: 1,
        ...(policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy }),
      },
      status,
    });
  }
  return cluster;
}

function evict(cluster: FakeClusterAccess, deleteOptions: object = {}): ApiStatusError | undefined {
  try {
    cluster.createSubresource('pods', 'shop', 'web-1', 'eviction', { metadata: { name: 'web-1' }, deleteOptions });
    return undefined;
  } catch (error) {
    return error as ApiStatusError;
  }
}

const allowedNow = (cluster: FakeClusterAccess): number =>
  (cluster.get('poddisruptionbudgets.policy', 'shop', 'b0')!['status'] as DisruptionBudgetStatus).disruptionsAllowed;

describe('an eviction', () => {
  test.each([
    [5, 'DeleteOptions'],
    [{ preconditions: 5 }, 'preconditions'],
    [{ gracePeriodSeconds: 'soon' }, 'gracePeriodSeconds'],
  ])('invalid options are refused: %j', (options, words) => {
    const cluster = set({});
    expect(evict(cluster, options as object)).toMatchObject({ code: 400, message: expect.stringContaining(words) });
    expect(cluster.get('pods', 'shop', 'web-1')).toBeDefined();
  });

  test.each([
    ['goes without any budget', { budgets: 0 }, undefined, null],
    ['goes while a disruption is allowed, and takes it', { allowed: 1 }, undefined, 0],
    ['is put off when none is', { allowed: 0 }, 429, 0],
    ['is put off while the budget has not been looked at', { observedGeneration: 0 }, 429, 1],
    ['is no business of two budgets', { budgets: 2 }, 500, 1],
    ['of a pending pod is free', { phase: 'Pending', ready: false, allowed: 0 }, undefined, 0],
    ['of a finished pod is free', { phase: 'Succeeded', ready: false, allowed: 0 }, undefined, 0],
    ['of an unready pod is free while the others suffice', { ready: false, allowed: 0, healthy: 2, desired: 2 }, undefined, 0],
    ['of an unready pod is put off while they do not', { ready: false, allowed: 0, healthy: 1, desired: 2 }, 429, 0],
    [
      'of an unready pod is free where the budget says always',
      { ready: false, allowed: 0, healthy: 1, policy: 'AlwaysAllow' },
      undefined,
      0,
    ],
    ['of a ready pod is put off even where the budget says always', { allowed: 0, policy: 'AlwaysAllow' }, 429, 0],
  ])('%s', (_, scene, code, left) => {
    const cluster = set(scene);
    expect(evict(cluster)?.code).toBe(code);
    if (left !== null) expect(allowedNow(cluster)).toBe(left);
    const pod = cluster.get('pods', 'shop', 'web-1');
    expect(pod === undefined || pod.metadata.deletionTimestamp !== undefined).toBe(code === undefined);
  });

  test('names the budget and its numbers when it is refused', () => {
    const error = evict(set({ allowed: 0, healthy: 2, desired: 2 }));
    expect(error?.reason).toBe('TooManyRequests');
    expect(error?.details?.causes).toEqual([
      { reason: 'DisruptionBudget', message: 'The disruption budget b0 needs 2 healthy pods and has 2 currently', field: '' },
    ]);
  });

  test('records the disrupted pod, until the budget controller has seen it deleted', () => {
    const cluster = set({});
    evict(cluster);
    const status = cluster.get('poddisruptionbudgets.policy', 'shop', 'b0')!['status'] as DisruptionBudgetStatus;
    expect(status.disruptedPods).toEqual({ 'web-1': '2026-11-02T00:00:00Z' });
  });

  test('checks everything and changes nothing in a dry run', () => {
    const cluster = set({});
    const before = cluster.writes.length;
    expect(evict(cluster, { dryRun: ['All'] })).toBeUndefined();
    expect(cluster.writes).toHaveLength(before);
    expect(evict(set({ allowed: 0 }), { dryRun: ['All'] })?.code).toBe(429);
  });

  test('does not evict another pod of the same name', () => {
    expect(evict(set({}), { preconditions: { uid: 'another' } })?.code).toBe(409);
  });
});
