import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { InlineSeat } from './inline-seat.ts';
import { ShardedLearner } from './sharded-learner.ts';
import { ThreadSeat } from './thread-seat.ts';

export interface OpenLearnerParts {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when a thread was replaced: what is kept of all is offered again. */
  readonly restoreLost: () => Promise<void>;
}

/** @param threads 0: everything in this thread */
export function openLearner(threads: number, parts: OpenLearnerParts): ShardedLearner {
  parts.metrics
    .gauge({ name: 'evenkeel_recommender_threads', help: 'Threads that learn from usage and advise; 0: the main one.' })
    .set(threads);
  if (threads === 0) return new ShardedLearner([new InlineSeat()]);
  return new ShardedLearner(Array.from({ length: threads }, (_, index) => new ThreadSeat({ ...parts, index })));
}
