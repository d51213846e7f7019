// A few of the random lives in mode Approve that `make soak` draws by the thousand.

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { approveLives, playApproveLife } from '../../../../test/builders/adversary/approve-lives.ts';
import { ApproveRules } from '../../../../test/builders/adversary/approve-rules.ts';

test('whatever users do in mode Approve, pods get approved values within their bounds, and the status agrees', () => {
  fc.assert(
    fc.property(approveLives, (life) => {
      const rules = new ApproveRules();
      playApproveLife(life, (lived, _tick, act) => rules.check(lived, act));
      expect(rules.violations).toEqual([]);
    }),
    { numRuns: 6 },
  );
});
