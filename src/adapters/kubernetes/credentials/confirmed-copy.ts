import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import { isAborted, sleep } from '../sleep.ts';

/** A copy that the API server confirmed longer ago is not served. */
export const MAX_AGE_MS: DurationMs = 10 * SECOND_MS;
/** Interval of reading it again, so that requests rarely wait for a read. */
const READ_EVERY_MS: DurationMs = 5 * SECOND_MS;

export interface ConfirmedCopyDependencies<T> {
  /** Reads from the API server, without any cache. Must reject within a few seconds where there is no answer. */
  readonly read: () => Promise<T>;
  readonly timer: MachineTimer;
  /** Called where a read that replaces an earlier one fails, and with null once one succeeds. */
  readonly report: (problem: string | null) => void;
}

/**
 * A value of the API server that decides access. It is served for at most ten seconds after a read; a watch invalidates it at every change.
 * Where it is older, it is read again, and where that fails there is no value: never an earlier one.
 */
export class ConfirmedCopy<T> {
  readonly #dependencies: ConfirmedCopyDependencies<T>;
  #copy: { readonly value: T; readonly confirmedAtMs: number } | null = null;
  #changes = 0;
  /** The read under way, and the number of changes before it. */
  #reading: { readonly value: Promise<T>; readonly changes: number } | null = null;
  /** The read that begins after it. */
  #next: Promise<T> | null = null;

  constructor(dependencies: ConfirmedCopyDependencies<T>) {
    this.#dependencies = dependencies;
  }

  /** The value as it was at most ten seconds ago. @throws where it cannot be read */
  async get(): Promise<T> {
    const copy = this.#copy;
    if (copy !== null && this.#dependencies.timer.nowMs() - copy.confirmedAtMs < MAX_AGE_MS) return copy.value;
    return this.refresh();
  }

  /** Drops the value: the next call reads it. */
  invalidate(): void {
    this.#changes += 1;
    this.#copy = null;
  }

  /**
   * Reads the value now; concurrent calls share one read. A call after a change waits for the next read, since the one under way may lack
   * the change. It waits for no third: its read began after the call, whatever changes meanwhile. @throws where it cannot be read
   */
  refresh(): Promise<T> {
    if (this.#next !== null) return this.#next;
    if (this.#reading === null) return this.#startRead();
    const { value, changes } = this.#reading;
    if (changes === this.#changes) return value;
    const start = (): Promise<T> => this.#startRead();
    this.#next = value.then(start, start);
    return this.#next;
  }

  /** Reads at intervals until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      await this.refresh().catch(() => undefined);
      await sleep(this.#dependencies.timer, READ_EVERY_MS, signal).catch(() => undefined);
    }
  }

  #startRead(): Promise<T> {
    const changes = this.#changes;
    const value = this.#read(changes).finally(() => (this.#reading = null));
    this.#next = null;
    this.#reading = { value, changes };
    return value;
  }

  async #read(changes: number): Promise<T> {
    const { timer, read, report } = this.#dependencies;
    // The age counts from before the read: the answer may be as old as the request.
    const confirmedAtMs = timer.nowMs();
    try {
      const value = await read();
      report(null);
      if (changes === this.#changes) this.#copy = { value, confirmedAtMs };
      return value;
    } catch (err) {
      report(err instanceof Error ? err.message : String(err));
      throw err;
    }
  }
}
