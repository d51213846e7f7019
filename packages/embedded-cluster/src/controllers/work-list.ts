import type { DurationMs, Instant } from '#kube/units';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { Clock } from '../ports/clock.ts';
import { ApiStatusError } from '../api/api-error.ts';

/** First back-off after an error; it doubles each time. */
const FIRST_RETRY_MS: DurationMs = SECOND_MS;
/** Long enough that a workload over its quota costs little, short enough that a freed quota is soon used. */
const LAST_RETRY_MS: DurationMs = 5 * MINUTE_MS;

/**
 * A work queue: each key is handled once, however often it was added, in the order of arrival. Nothing runs inside `add`: the clock calls
 * at the same domain time. A handler with an API error (a conflict, a quota) is retried with back-off; any other exception is a fault and
 * reaches the caller that runs the clock.
 */
export class WorkList {
  readonly #clock: Clock;
  readonly #handle: (key: string) => void;
  readonly #dirty = new Set<string>();
  readonly #timers = new Map<string, { at: Instant; cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  #cancelRun: (() => void) | undefined;
  #stopped = false;

  constructor(clock: Clock, handle: (key: string) => void) {
    this.#clock = clock;
    this.#handle = handle;
  }

  /** Handles `key` soon, at the current domain time. */
  add(key: string): void {
    if (this.#stopped) return;
    this.#dirty.add(key);
    this.#cancelRun ??= this.#clock.schedule(this.#clock.now(), () => this.#run());
  }

  /** Handles `key` when the clock reaches `at`; of several requested times the earliest applies. */
  addAt(key: string, at: Instant): void {
    if (this.#stopped) return;
    const pending = this.#timers.get(key);
    if (pending !== undefined && pending.at <= at) return;
    pending?.cancel();
    const cancel = this.#clock.schedule(at, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { at, cancel });
  }

  /** Stops a controller: its watches, then its queue. */
  stopAfter(watches: readonly (() => void)[]): () => void {
    return () => {
      for (const stop of watches) stop();
      this.stop();
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRun?.();
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#dirty.clear();
  }

  #run(): void {
    this.#cancelRun = undefined;
    const keys = [...this.#dirty];
    this.#dirty.clear();
    for (const [done, key] of keys.entries()) {
      try {
        this.#handle(key);
        this.#failures.delete(key);
      } catch (error) {
        if (!(error instanceof ApiStatusError)) {
          for (const rest of keys.slice(done + 1)) this.add(rest);
          throw error;
        }
        this.#retry(key);
      }
    }
  }

  #retry(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.addAt(key, this.#clock.now() + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)));
  }
}
