import { expect, test } from '@jest/globals';
import { type DecidedWorkload, DecisionBook } from './decision-book.ts';

const aDecision = (policy: string | null, changing: boolean): DecidedWorkload => ({
  policy,
  published: true,
  status: changing ? ({ state: 'applying', apply: {} } as DecidedWorkload['status']) : {},
  advice: [],
  savings: { potentialPerMonthUsd: null, reclaimedPerMonthUsd: null },
});

test('knows on how many workloads of each policy a change is under way, whatever becomes of them', () => {
  const book = new DecisionBook(undefined as never);
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

test('a change that waits counts not: it keeps no other workload waiting', () => {
  const book = new DecisionBook(undefined as never);
  const waiting = { state: 'awaiting', reason: 'rollout', apply: {} } as DecidedWorkload['status'];
  book.record('w1', { ...aDecision('a', true), status: waiting });
  expect(book.underWay('a', '')).toBe(0);
  const ofClasses = { state: 'exception', classes: [{ name: 's', state: 'applying', apply: {} }] } as unknown as DecidedWorkload['status'];
  book.record('w2', { ...aDecision('a', true), status: ofClasses });
  expect(book.underWay('a', '')).toBe(1);
});
