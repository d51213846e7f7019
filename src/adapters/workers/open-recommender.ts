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
  /** Called when a thread was replaced: what is kept of all is offered again. */
  readonly restoreLost: () => Promise<void>;
}

/** @param threads 0: everything in this thread */
export function openRecommender(threads: number, parts: OpenRecommenderDependencies): ShardedRecommender {
  parts.metrics
    .gauge({ name: 'evenkeel_recommender_threads', help: 'Threads that learn from usage and advise; 0: the main one.' })
    .set(threads);
  if (threads === 0) return new ShardedRecommender([new InlineWorker()]);
  return new ShardedRecommender(Array.from({ length: threads }, (_, index) => new ThreadWorker({ ...parts, index })));
}
