import { expect, test } from '@jest/globals';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { aPodRecord } from '../../../test/builders/records.ts';
import type { DisruptionBudgetRecord } from '../../core/model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import { createReadModels } from '../read-models.ts';

const WEB = { matchLabels: { workload: 'web' } };
const count = (value: number) => ({ kind: 'count', count: value }) as const;
const percent = (value: number) => ({ kind: 'percent', ratio: value / 100 }) as const;

/** The part of a cluster with one budget for `web`, which has five replicas. */
function partOf(budget: Partial<DisruptionBudgetRecord>, changePods = (pods: readonly PodRecord[]): readonly PodRecord[] => pods) {
  const world = dashboardWorld();
  world.cluster.budgetList = [{ namespace: 'shop', name: 'web', selector: WEB, minAvailable: null, maxUnavailable: null, ...budget }];
  world.cluster.podList = [...changePods(world.cluster.podList)];
  return createReadModels(world.sources)
    .cluster.get()
    .item.health.parts.find(({ name }) => name === 'Budgets');
}

const ALL_CAN = 'The one disruption budget can be satisfied.';
const NONE_CAN = '1 of 1 disruption budgets can never be satisfied: they require every replica to be available, so no pod may be evicted.';

test('a budget that requires every replica can never be satisfied', () => {
  for (const budget of [{ minAvailable: count(5) }, { minAvailable: percent(100) }, { maxUnavailable: count(0) }]) {
    expect(partOf(budget)).toMatchObject({ score: 0, reason: NONE_CAN });
  }
});

test('a budget at its limit can be satisfied, whatever the state of its pods', () => {
  const name = 'web-0';
  const without = (pods: readonly PodRecord[]) => pods.filter((pod) => pod.name !== name);
  const unready = (pods: readonly PodRecord[]) => pods.map((pod) => (pod.name === name ? { ...pod, ready: false } : pod));
  const pending = (pods: readonly PodRecord[]) =>
    pods.map((pod) => (pod.name === name ? { ...pod, phase: 'Pending' as const, node: null } : pod));
  for (const change of [without, unready, pending]) {
    expect(partOf({ minAvailable: count(4) }, change)).toMatchObject({ score: 100, reason: ALL_CAN });
  }
});

test('pods without a workload count individually', () => {
  const bare = [0, 1].map((index) => aPodRecord({ name: `bare-${index}`, namespace: 'shop', labels: { app: 'bare' } }));
  const budget = { selector: { matchLabels: { app: 'bare' } } };
  const change = (pods: readonly PodRecord[]) => [...pods, ...bare];
  expect(partOf({ ...budget, minAvailable: count(1) }, change)?.score).toBe(100);
  expect(partOf({ ...budget, minAvailable: count(2) }, change)?.score).toBe(0);
});

test('a budget over several workloads counts the replicas of all', () => {
  expect(partOf({ selector: {}, minAvailable: count(6) })?.score).toBe(100);
});

test('budgets without pods, and completed pods, do not count', () => {
  const none = { score: null, reason: 'No pod has a disruption budget.' };
  expect(partOf({ selector: null, minAvailable: count(1) })).toMatchObject(none);
  expect(partOf({ selector: { matchLabels: { workload: 'none' } }, minAvailable: count(1) })).toMatchObject(none);
  const done = (pods: readonly PodRecord[]) => pods.map((pod) => ({ ...pod, phase: 'Succeeded' as const }));
  expect(partOf({ minAvailable: count(1) }, done)).toMatchObject(none);
});
