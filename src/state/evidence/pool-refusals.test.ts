import { expect, test } from '@jest/globals';
import { T0 } from '../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import type { FailedResize } from '../../core/resize/model/situation.ts';
import { PoolRefusals } from './pool-refusals.ts';

const SWAP: FailedResize = {
  pod: 'web-1',
  uid: 'u1',
  pool: 'blue',
  resource: 'memory',
  state: 'infeasible',
  since: T0,
  code: 'swap',
  message: 'no',
  values: new Map(),
};
const seenAt = (refusals: PoolRefusals, since: number): void => refusals.record({ failures: [{ ...SWAP, since }] });
const isCounted = (refusals: PoolRefusals, now: number): boolean => refusals.current(now).length > 0;

test('a repeated refusal for another workload is in force for twice as long', () => {
  const refusals = new PoolRefusals();
  seenAt(refusals, T0);
  expect([isCounted(refusals, T0 + DAY_MS - 1), isCounted(refusals, T0 + DAY_MS)]).toEqual([true, false]);
  const later = T0 + DAY_MS + HOUR_MS;
  seenAt(refusals, later);
  expect([isCounted(refusals, later + 2 * DAY_MS - 1), isCounted(refusals, later + 2 * DAY_MS)]).toEqual([true, false]);
});

test('refusals for two workloads at the same time count once', () => {
  const refusals = new PoolRefusals();
  seenAt(refusals, T0);
  seenAt(refusals, T0 + HOUR_MS);
  expect(isCounted(refusals, T0 + HOUR_MS + DAY_MS)).toBe(false);
});
