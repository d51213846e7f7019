// A few of the adversarial sequences of events that `make soak` draws by the thousand.

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AdversaryRules } from '../../../../test/builders/adversary/adversary-rules.ts';
import { lives, playLife } from '../../../../test/builders/adversary/adversary.ts';

test('under adversarial events no limit exceeds its bound, and nothing is reduced without evidence, below its peak, or twice a day', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const rules = new AdversaryRules(life);
      playLife(life, (lived, tick) => rules.check(lived, tick));
      expect(rules.violations).toEqual([]);
    }),
    { numRuns: 5 },
  );
});
