import { expect, test } from '@jest/globals';
import { type DecidedWorkload, DecisionCache } from './decision-cache.ts';

const aDecision = (policy: string | null, changing: boolean): DecidedWorkload => ({
  policy,
  published: true,
  status: changing ? ({ state: 'applying', apply: {} } as DecidedWorkload['status']) : {},
  advice: [],
  savings: { potentialPerMonthUsd: null, reclaimedPerMonthUsd: null },
});

test('knows on how many workloads of each policy a change is under way, whatever becomes of them', () => {
  const book = new DecisionCache(undefined as never);
  const counts = (): readonly number[] => [book.underWay('a', ''), book.underWay('b', ''), book.underWay(null, '')];
  book.record('w1', aDecision('a', true));
  book.record('w2', aDecision('a', true));
  book.record('w3', aDecision(null, true));
  book.record('w4', aDecision('b', false));
  expect(counts()).toEqual([2, 0, 1]);
  expect([book.underWay('a', 'w1'), book.underWay('a', 'w4')]).toEqual([1, 2]);
  book.record('w1', aDecision('b', true));
  book.record('w2', aDecision('a', false));
  expect(counts()).toEqual([0, 1, 1]);
  book.takeOver('w4', aDecision('b', true));
  book.takeOver('w3', null);
  book.forget('w1');
  expect(counts()).toEqual([0, 1, 0]);
});

test('a change that only raises counts not: what safety needs takes no place', () => {
  const book = new DecisionCache(undefined as never);
  const at = '2026-11-20T12:00:00Z';
  const values = (cpu: string) => [{ name: 'main', requests: { cpu } }];
  const change = (from: string, to: string) =>
    ({
      state: 'applying',
      apply: { startedAt: at, stage: 'All', stageStartedAt: at, reason: '', by: 'evenkeel', containers: values(to) },
      previous: { at, containers: values(from) },
    }) as DecidedWorkload['status'];
  book.record('raise', { ...aDecision('a', true), status: change('500m', '900m') });
  expect(book.underWay('a', '')).toBe(0);
  book.record('reduction', { ...aDecision('a', true), status: change('500m', '100m') });
  expect(book.underWay('a', '')).toBe(1);
});

test('counts the workloads of each policy that have pods', () => {
  const book = new DecisionCache(undefined as never);
  const withPods = (policy: string | null, replicas: number): DecidedWorkload => ({ ...aDecision(policy, false), status: { replicas } });
  book.record('w1', withPods('a', 3));
  book.record('w2', withPods('a', 1));
  book.record('w3', withPods('a', 0));
  book.takeOver('w4', withPods(null, 1));
  expect([book.governed('a'), book.governed(null), book.governed('b')]).toEqual([2, 1, 0]);
  book.record('w1', withPods('b', 3));
  book.record('w2', withPods('a', 0));
  book.forget('w4');
  expect([book.governed('a'), book.governed(null), book.governed('b')]).toEqual([0, 0, 1]);
});

test('a change that waits counts not: it keeps no other workload waiting', () => {
  const book = new DecisionCache(undefined as never);
  const waiting = { state: 'awaiting', reason: 'rollout', apply: {} } as DecidedWorkload['status'];
  book.record('w1', { ...aDecision('a', true), status: waiting });
  expect(book.underWay('a', '')).toBe(0);
  const ofClasses = { state: 'exception', classes: [{ name: 's', state: 'applying', apply: {} }] } as unknown as DecidedWorkload['status'];
  book.record('w2', { ...aDecision('a', true), status: ofClasses });
  expect(book.underWay('a', '')).toBe(1);
});
