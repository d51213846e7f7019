// Retention of failed resizes.

import { describe, expect, test } from '@jest/globals';
import { amounts, aPodRecord, T0 } from '../../../../../test/builders/rightsizing.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import type { FailedResize } from '../../model/situation.ts';
import { recordFailures } from './failed-resizes.ts';

const TRIED: RequestsAndLimits = { requests: amounts('100m', '128Mi'), limits: amounts(null, null) };
const OTHER: RequestsAndLimits = { requests: amounts('120m', '128Mi'), limits: amounts(null, null) };
const FAILURE: FailedResize = {
  pod: 'web-1',
  uid: 'uid-web-1',
  pool: null,
  resource: null,
  state: 'error',
  since: T0,
  code: 'other',
  message: 'its node has not actuated the resize within 10 minutes',
  values: new Map([['main', TRIED]]),
};

describe('A failed resize of a pod', () => {
  test.each([
    ['is stored while the pod has its previous values', { container: {} }, 1],
    ['is removed when the failed values are in force', { container: TRIED }, 0],
    ['is stored while the values are only desired', { container: { ...TRIED, record: { actual: OTHER } } }, 1],
    ['is removed after a later successful resize', { container: OTHER, resizedBy: { manager: 'evenkeel', at: T0 + HOUR_MS } }, 0],
    [
      'is stored after its revert, which is a resize as well',
      { container: OTHER, resizedBy: { manager: 'evenkeel', at: T0 + MINUTE_MS } },
      1,
    ],
  ])('%s', (_rule, traits, kept) => {
    const pod = aPodRecord({ name: 'web-1', ...traits });
    expect(recordFailures([FAILURE], [], { pods: [pod], now: T0 + 2 * HOUR_MS })).toHaveLength(kept);
  });

  test('is removed with its pod', () => {
    expect(recordFailures([FAILURE], [], { pods: [aPodRecord({ name: 'web-2' })], now: T0 })).toEqual([]);
  });
});
