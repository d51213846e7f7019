// 100,000 random sets of annotations, labels and statuses of a tenant; `make test` draws a few hundred.

import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { boundsHold, effectsWhereNothingActs, sameEnds } from '../builders/tenants/tenant-cases.ts';
import { HOUR_MS } from '#kube/units';
import { numberFrom } from './settings.ts';

/** `make soak` draws 20 times as many. */
const RUNS = numberFrom('SOAK_TENANTS', 5_000);
const TIMEOUT_MS = 12 * HOUR_MS;

describe('Annotations, labels and statuses that a tenant can write', () => {
  test('have no effect in modes that do not act', () => fc.assert(effectsWhereNothingActs, { numRuns: Math.ceil(RUNS / 2) }), TIMEOUT_MS);

  test(
    'change nothing in mode Auto where only Evenkeel writes them',
    () => fc.assert(sameEnds, { numRuns: Math.ceil(RUNS / 5) }),
    TIMEOUT_MS,
  );

  test(
    'give no pod more or less than the policy allows, and touch no other namespace',
    () => fc.assert(boundsHold, { numRuns: Math.ceil((3 * RUNS) / 10) }),
    TIMEOUT_MS,
  );
});
