import { InlineWorker } from '../../src/adapters/workers/inline-worker.ts';
import { ShardedRecommender } from '../../src/adapters/workers/sharded-recommender.ts';

/** The real learner, in the test's own thread. */
export function aRecommender(): ShardedRecommender {
  return new ShardedRecommender([new InlineWorker()]);
}
