import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { InlineWorker } from './inline-worker.ts';
import { ShardedRecommender } from './sharded-recommender.ts';
import { ThreadWorker } from './thread-worker.ts';

export interface OpenRecommenderDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called after a thread was replaced; offers all saved checkpoints to `restore` again. */
  readonly restoreLost: () => Promise<void>;
}

/** Starts the recommender. @param threads 0: runs in the main thread */
export function openRecommender(threads: number, dependencies: OpenRecommenderDependencies): ShardedRecommender {
  dependencies.metrics
    .gauge({ name: 'evenkeel_recommender_threads', help: 'Worker threads of the recommender; 0: it runs in the main thread.' })
    .set(threads);
  if (threads === 0) return new ShardedRecommender([new InlineWorker()]);
  return new ShardedRecommender(Array.from({ length: threads }, (_, index) => new ThreadWorker({ ...dependencies, index })));
}
