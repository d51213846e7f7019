// Retention of failed resizes.

import { describe, expect, test } from '@jest/globals';
import { amounts, aPodRecord, T0 } from '../../../../test/builders/rightsizing.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import type { FailedResize } from '../model/situation.ts';
import { rememberFailures } from './failed-resizes.ts';

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
    ['is remembered while the pod has what it had', { container: {} }, 1],
    ['is forgotten when what failed is in force', { container: TRIED }, 0],
    ['is remembered while it is only asked for', { container: { ...TRIED, record: { actual: OTHER } } }, 1],
    ['is forgotten when a later resize went through', { container: OTHER, resizedBy: { manager: 'evenkeel', at: T0 + HOUR_MS } }, 0],
    [
      'is remembered after its write-back, which is a resize as well',
      { container: OTHER, resizedBy: { manager: 'evenkeel', at: T0 + MINUTE_MS } },
      1,
    ],
  ])('%s', (_rule, traits, kept) => {
    const pod = aPodRecord({ name: 'web-1', ...traits });
    expect(rememberFailures([FAILURE], [], { pods: [pod], now: T0 + 2 * HOUR_MS })).toHaveLength(kept);
  });

  test('goes with its pod', () => {
    expect(rememberFailures([FAILURE], [], { pods: [aPodRecord({ name: 'web-2' })], now: T0 })).toEqual([]);
  });
});
