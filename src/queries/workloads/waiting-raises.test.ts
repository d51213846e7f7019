import { beforeEach, describe, expect, test } from '@jest/globals';
import { aScope } from '../../../test/builders/tenants/scopes.ts';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import type { RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import { createReadModels, type ReadModels } from '../read-models.ts';

let world: DashboardWorld;
let models: ReadModels;
beforeEach(() => {
  world = dashboardWorld();
  models = createReadModels(world.sources);
  raisesWait('web', 3, { cpu: '600m', memory: '1Gi' });
  raisesWait('checkout', 2, {});
});

function raisesWait(name: string, pods: number, requests: { readonly cpu?: string; readonly memory?: string }): void {
  const waitingForNodeCapacity: RecommendationStatus['waitingForNodeCapacity'] = { pods, since: '2026-11-20T14:00:00.000Z', requests };
  world.cluster.recommendationList = world.cluster.recommendationList.map((each) =>
    each.spec.targetRef.name === name ? { ...each, status: { ...each.status, waitingForNodeCapacity } } : each,
  );
}

const recordOf = (name: string) => models.recommendations.record(world.cluster.workloadList.find((each) => each.name === name)!);

describe('raises that wait for node capacity', () => {
  test('are part of the recommendation: the pods, since when, and their additional requests', () => {
    expect(recordOf('web').waitingForNodeCapacity).toEqual({
      pods: 3,
      since: '2026-11-20T14:00:00.000Z',
      requests: { cpuMillicores: 600, memoryBytes: 2 ** 30 },
    });
    expect(recordOf('cart').waitingForNodeCapacity).toBeNull();
  });

  test('are counted in the cluster summary', () => {
    expect(models.cluster.get().item.waitingForNodeCapacity).toEqual({ workloads: 2, pods: 5 });
  });

  test('are null in the cluster summary while nothing is decided', () => {
    world.cluster.recommendationList = [];
    expect(models.cluster.get().item.waitingForNodeCapacity).toBeNull();
  });

  test('are counted in the summary of a list, over what the caller may see', async () => {
    const onlyPay = aScope('operator', ['pay'], 'ann');
    const query = { limit: 100, sort: 'name', format: 'json' } as const;
    const [all, pay] = await Promise.all([EVERYONE_IS_ADMIN, onlyPay].map((scope) => models.recommendations.list(scope, query)));
    expect(all).toMatchObject({ summary: { waitingForNodeCapacity: { workloads: 2, pods: 5 } } });
    expect(pay).toMatchObject({ summary: { waitingForNodeCapacity: { workloads: 0, pods: 0 } } });
  });

  test('are in the status of their policy', () => {
    const waitingForNodeCapacity = { workloads: 2, pods: 5 };
    world.cluster.policyList = world.cluster.policyList.map((policy) => ({ ...policy, status: { waitingForNodeCapacity } }));
    const page = models.policies.list(EVERYONE_IS_ADMIN, { limit: 10, sort: 'name', format: 'json' });
    expect(page).toMatchObject({ items: [{ status: { waitingForNodeCapacity } }] });
  });
});
