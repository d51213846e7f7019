// Checks 10,000 random lives of a workload against the safety rules at each moment, and follows a share of them until every loop has ended.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AdversaryEnd } from '../builders/adversary/adversary-end.ts';
import { AdversaryRules } from '../builders/adversary/adversary-rules.ts';
import { lives, playLife, resizeOnAllNodes } from '../builders/adversary/adversary.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { numberFrom } from './settings.ts';

/** `make soak` draws 20 times as many. */
const LIVES = numberFrom('SOAK_LIVES', 500);
/** Lives that continue for two steady months. */
const LONG_LIVES = Math.ceil(LIVES / 20);
const TIMEOUT_MS = 6 * HOUR_MS;

describe('in every life of a workload', () => {
  test(
    'no limit passes its bound, and no request is reduced without evidence, below the memory peak of 7 days, or twice a day',
    () => {
      fc.assert(
        fc.property(lives, (life) => {
          const rules = new AdversaryRules(life);
          playLife(life, (lived, tick) => rules.check(lived, tick));
          expect(rules.violations).toEqual([]);
        }),
        { numRuns: LIVES },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'resizes and reports end once usage is steady',
    () => {
      // Usage of two weeks is kept; after them memory falls at most once a day, by a part of the difference.
      const quietMs = 60 * DAY_MS;
      fc.assert(
        fc.property(lives.map(resizeOnAllNodes), (life) => {
          const end = new AdversaryEnd(life.options.policy);
          let elapsedMs = 0;
          playLife(
            life,
            (lived) => {
              ({ elapsedMs } = lived);
              end.look(lived);
            },
            quietMs,
          );
          expect(end.resizedAt).toBeLessThan(elapsedMs - 5 * DAY_MS);
          expect(end.reportedAt).toBeLessThan(elapsedMs - 5 * DAY_MS);
        }),
        { numRuns: LONG_LIVES },
      );
    },
    TIMEOUT_MS,
  );
});
