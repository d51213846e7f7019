import { InlineSeat } from '../../src/adapters/workers/inline-seat.ts';
import { ShardedLearner } from '../../src/adapters/workers/sharded-learner.ts';

/** The real learner, in the test's own thread. */
export function aLearner(): ShardedLearner {
  return new ShardedLearner([new InlineSeat()]);
}
