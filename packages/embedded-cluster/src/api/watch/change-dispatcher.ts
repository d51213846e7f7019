import type { Activity } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** Tasks that run before the event loop gets a turn, so that a long cascade of changes does not starve HTTP. */
const BATCH_LENGTH = 2000;

/**
 * Delivers changes to the components: in commit order, after the write has returned, and before the clock advances. One queue for all
 * listeners keeps the order the same in every run.
 */
export class ChangeDispatcher {
  readonly #activity: Activity;
  readonly #logger: Logger;
  #queue: (() => void)[] = [];
  #end: (() => void) | null = null;

  constructor(activity: Activity, logger: Logger) {
    this.#activity = activity;
    this.#logger = logger;
  }

  enqueue(task: () => void): void {
    this.#queue.push(task);
    if (this.#end !== null) return;
    this.#end = this.#activity.begin();
    queueMicrotask(() => this.#drain());
  }

  #drain(): void {
    let left = BATCH_LENGTH;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      for (const task of batch) this.#run(task);
      left -= batch.length;
      if (left <= 0) {
        setImmediate(() => this.#drain());
        return;
      }
    }
    const end = this.#end;
    this.#end = null;
    end?.();
  }

  /** A fault of one component must not stop the others. It is logged as an error, because components report expected errors as values. */
  #run(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#logger.error('Component failed on a change', { err: error });
    }
  }
}
