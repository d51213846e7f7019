// Decides everything about one workload, as layers around a plain decision: each changes what the one inside it sees, or what
// it says. Pure: the same situation gives the same decision, bit for bit.

import { withStartUpBoost } from '../boost/boosted-decision.ts';
import { withNodeClasses } from '../classes/with-node-classes.ts';
import { withLimitExceptions } from '../../exceptions/with-limit-exceptions.ts';
import { withIdleMode } from './idle-mode.ts';
import { withEvictions } from './evictions.ts';
import { withAutoscalers } from './with-autoscalers.ts';
import type { WorkloadDecision } from './decision.ts';
import { decidePlainly } from './plain-decision.ts';
import type { WorkloadSituation } from './situation.ts';

/** @returns what to publish, what to do and what to remember; never throws on data that passed its schema */
export function decideWorkload(situation: WorkloadSituation): WorkloadDecision {
  return withNodeClasses(situation, (alike) =>
    withAutoscalers(alike, (plain) =>
      withStartUpBoost(plain, (calm) =>
        withIdleMode(calm, (awake) => withLimitExceptions(awake, (told) => withEvictions(told, decidePlainly))),
      ),
    ),
  );
}
