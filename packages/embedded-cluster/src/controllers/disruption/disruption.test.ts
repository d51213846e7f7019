import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aDeployment, aWirePod } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import type { DisruptionBudget } from '../wire/policy.ts';
import { budgetNumbers } from './budget-arithmetic.ts';

function aBudget(spec: Record<string, unknown>): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  };
}

const budgetOf = (spec: Record<string, unknown>): DisruptionBudget => aBudget(spec) as DisruptionBudget;

describe('the allowance of a budget', () => {
  test.each([
    ['minAvailable as a count looks at the pods alone', { minAvailable: 2 }, { healthy: 3, pods: 3, scale: null }, 3, 2, 1],
    ['minAvailable as a share is of the scale, rounded up', { minAvailable: '50%' }, { healthy: 5, pods: 5, scale: 5 }, 5, 3, 2],
    ['maxUnavailable as a count', { maxUnavailable: 1 }, { healthy: 4, pods: 4, scale: 4 }, 4, 3, 1],
    ['maxUnavailable as a share is rounded up', { maxUnavailable: '30%' }, { healthy: 7, pods: 7, scale: 7 }, 7, 4, 3],
    ['pods that are missing count against it', { maxUnavailable: 1 }, { healthy: 3, pods: 3, scale: 4 }, 4, 3, 0],
    ['no pods, no disruptions', { maxUnavailable: '100%' }, { healthy: 0, pods: 0, scale: 0 }, 0, 0, 0],
    ['maxUnavailable 0 never allows any', { maxUnavailable: 0 }, { healthy: 9, pods: 9, scale: 9 }, 9, 9, 0],
  ])('%s', (_, spec, counts, expectedPods, desiredHealthy, disruptionsAllowed) => {
    expect(budgetNumbers(budgetOf(spec), counts)).toEqual({
      expectedPods,
      currentHealthy: counts.healthy,
      desiredHealthy,
      disruptionsAllowed,
    });
  });

  test('is unknown when a pod has no controller and the budget is a percentage', () => {
    expect(budgetNumbers(budgetOf({ maxUnavailable: '10%' }), { healthy: 1, pods: 1, scale: null })).toBeNull();
  });

  test('taking all allowed disruptions never leaves fewer than desired', () => {
    const bound = fc.oneof(
      fc.nat(20),
      fc.nat(100).map((percent) => `${String(percent)}%`),
    );
    const spec = fc.oneof(
      bound.map((minAvailable) => ({ minAvailable })),
      bound.map((maxUnavailable) => ({ maxUnavailable })),
    );
    fc.assert(
      fc.property(spec, fc.nat(20), fc.nat(20), (given, scale, healthy) => {
        const numbers = budgetNumbers(budgetOf(given), { healthy, pods: scale, scale });
        return numbers === null || numbers.disruptionsAllowed === 0 || healthy - numbers.disruptionsAllowed >= numbers.desiredHealthy;
      }),
    );
  });
});

describe('the disruption controller', () => {
  function guarded(spec: Record<string, unknown>, replicas = 3): ControllerWorld {
    const world = new ControllerWorld();
    world.create('deployments.apps', aDeployment({ replicas }));
    world.create('poddisruptionbudgets.policy', aBudget(spec));
    world.converge();
    return world;
  }
  const status = (world: ControllerWorld): DisruptionBudget['status'] =>
    (world.cluster.get('poddisruptionbudgets.policy', 'shop', 'web') as DisruptionBudget).status;
  const evict = (world: ControllerWorld, name: string, options: object = {}): void => {
    world.cluster.createSubresource('pods', 'shop', name, 'eviction', { metadata: { name }, deleteOptions: options });
  };

  test('follows the scale of the Deployment, not of its ReplicaSets', () => {
    const world = guarded({ maxUnavailable: '34%' });
    expect(status(world)).toMatchObject({
      expectedPods: 3,
      currentHealthy: 3,
      desiredHealthy: 1,
      disruptionsAllowed: 2,
      observedGeneration: 1,
    });
    world.change('deployments.apps', 'web', (draft) => {
      (draft['spec'] as { replicas: number }).replicas = 6;
    });
    expect(status(world)).toMatchObject({ expectedPods: 6, currentHealthy: 3, disruptionsAllowed: 0 });
    world.converge();
    expect(status(world)).toMatchObject({ expectedPods: 6, currentHealthy: 6, disruptionsAllowed: 3 });
  });

  test('grants no second eviction at the same moment when one was allowed', () => {
    const world = guarded({ maxUnavailable: 1 });
    const [first, second] = world.podNames();
    evict(world, first!);
    expect(() => evict(world, second!)).toThrow("Cannot evict pod as it would violate the pod's disruption budget.");
    world.clock.settle();
    world.converge();
    evict(world, second!);
  });

  test('lets a dry run pass without taking anything', () => {
    const world = guarded({ maxUnavailable: 1 });
    const [first] = world.podNames();
    evict(world, first!, { dryRun: ['All'] });
    world.clock.settle();
    expect(status(world)).toMatchObject({ disruptionsAllowed: 1 });
    expect(world.podNames()).toContain(first);
  });

  test('restores the allowance when an evicted pod still exists after two minutes', () => {
    const world = guarded({ maxUnavailable: 1 });
    const [first] = world.podNames();
    world.cluster.modifyStatus('poddisruptionbudgets.policy', 'shop', 'web', (draft) => {
      const before = (draft as DisruptionBudget).status!;
      draft['status'] = { ...before, disruptionsAllowed: 0, disruptedPods: { [first!]: '2026-11-02T00:00:00Z' } };
    });
    world.clock.advance(60_000);
    expect(status(world)).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 2 });
    world.clock.advance(61_000);
    expect(status(world)).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
    expect(status(world)?.disruptedPods).toBeUndefined();
  });

  test('allows nothing for pods without a controller when the budget is a percentage', () => {
    const world = new ControllerWorld();
    world.create('pods', aWirePod());
    world.create('poddisruptionbudgets.policy', aBudget({ maxUnavailable: '50%' }));
    world.clock.settle();
    expect(status(world)).toMatchObject({ disruptionsAllowed: 0 });
    expect(status(world)?.conditions?.[0]).toMatchObject({ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' });
  });
});
