import { expect, test } from '@jest/globals';
import { type DecidedWorkload, DecisionCache } from './decision-cache.ts';

const aDecision = (policy: string | null, changing: boolean): DecidedWorkload => ({
  policy,
  published: true,
  status: changing ? ({ state: 'applying', apply: {} } as DecidedWorkload['status']) : {},
  advice: [],
  savings: { potentialPerMonthUsd: null, reclaimedPerMonthUsd: null },
});

test('counts the workloads of each policy with a change in progress', () => {
  const cache = new DecisionCache(undefined as never);
  const counts = (): readonly number[] => [cache.countInProgress('a', ''), cache.countInProgress('b', ''), cache.countInProgress(null, '')];
  cache.record('w1', aDecision('a', true));
  cache.record('w2', aDecision('a', true));
  cache.record('w3', aDecision(null, true));
  cache.record('w4', aDecision('b', false));
  expect(counts()).toEqual([2, 0, 1]);
  expect([cache.countInProgress('a', 'w1'), cache.countInProgress('a', 'w4')]).toEqual([1, 2]);
  cache.record('w1', aDecision('b', true));
  cache.record('w2', aDecision('a', false));
  expect(counts()).toEqual([0, 1, 1]);
  cache.takeOver('w4', aDecision('b', true));
  cache.takeOver('w3', null);
  cache.forget('w1');
  expect(counts()).toEqual([0, 1, 0]);
});

test('a change that only raises does not count', () => {
  const cache = new DecisionCache(undefined as never);
  const at = '2026-11-20T12:00:00Z';
  const values = (cpu: string) => [{ name: 'main', requests: { cpu } }];
  const change = (from: string, to: string) =>
    ({
      state: 'applying',
      apply: { startedAt: at, stage: 'All', stageStartedAt: at, reason: '', by: 'evenkeel', containers: values(to) },
      previous: { at, containers: values(from) },
    }) as DecidedWorkload['status'];
  cache.record('raise', { ...aDecision('a', true), status: change('500m', '900m') });
  expect(cache.countInProgress('a', '')).toBe(0);
  cache.record('reduction', { ...aDecision('a', true), status: change('500m', '100m') });
  expect(cache.countInProgress('a', '')).toBe(1);
});

test('counts the workloads of each policy that have pods', () => {
  const cache = new DecisionCache(undefined as never);
  const withPods = (policy: string | null, replicas: number): DecidedWorkload => ({ ...aDecision(policy, false), status: { replicas } });
  cache.record('w1', withPods('a', 3));
  cache.record('w2', withPods('a', 1));
  cache.record('w3', withPods('a', 0));
  cache.takeOver('w4', withPods(null, 1));
  expect([cache.governed('a'), cache.governed(null), cache.governed('b')]).toEqual([2, 1, 0]);
  cache.record('w1', withPods('b', 3));
  cache.record('w2', withPods('a', 0));
  cache.forget('w4');
  expect([cache.governed('a'), cache.governed(null), cache.governed('b')]).toEqual([0, 0, 1]);
});

test('a change that waits does not count', () => {
  const cache = new DecisionCache(undefined as never);
  const waiting = { state: 'awaiting', reason: 'rollout', apply: {} } as DecidedWorkload['status'];
  cache.record('w1', { ...aDecision('a', true), status: waiting });
  expect(cache.countInProgress('a', '')).toBe(0);
  const ofClasses = { state: 'exception', classes: [{ name: 's', state: 'applying', apply: {} }] } as unknown as DecidedWorkload['status'];
  cache.record('w2', { ...aDecision('a', true), status: ofClasses });
  expect(cache.countInProgress('a', '')).toBe(1);
});
