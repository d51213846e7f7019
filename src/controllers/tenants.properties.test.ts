// A tenant that may write in one namespace alone gains nothing beyond what the policy allows.

import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { boundsHold, effectsWhereNothingActs, sameEnds } from '../../test/builders/tenants/tenant-cases.ts';

describe('Annotations, labels and statuses that a tenant can write', () => {
  test('have no effect in modes that do not act', async () => {
    await fc.assert(effectsWhereNothingActs, { numRuns: 100 });
  });

  test('change nothing in mode Auto where only Evenkeel writes them', async () => {
    await fc.assert(sameEnds, { numRuns: 50 });
  });

  test('give no pod more or less than the policy allows, and touch no other namespace', async () => {
    await fc.assert(boundsHold, { numRuns: 100 });
  });
});
