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
  /** Whether other replicas wait for this one before they answer a revoke. While they do not, every call reads. */
  readonly isAwaited: () => boolean;
  /** Called after each read: no later call returns an earlier one. @param isAnnounced a change was announced since the read before */
  readonly onRead: (value: T, isAnnounced: boolean) => void;
}

interface Read<T> {
  readonly value: T;
  readonly confirmedAtMs: number;
}

/**
 * A value of the API server that decides access. It is served for at most ten seconds after a read; a watch invalidates it at every change.
 * Where it is older, it is read again, and where that fails there is no value: never an earlier one.
 */
export class ConfirmedCopy<T> {
  readonly #dependencies: ConfirmedCopyDependencies<T>;
  #copy: Read<T> | null = null;
  #changes = 0;
  /** Number of changes before the last read that succeeded. */
  #readChanges = 0;
  /** The read under way, and the number of changes before it. */
  #reading: { readonly read: Promise<Read<T>>; readonly changes: number } | null = null;
  /** The read that begins after it. */
  #next: Promise<Read<T>> | null = null;

  constructor(dependencies: ConfirmedCopyDependencies<T>) {
    this.#dependencies = dependencies;
  }

  /** The value as it was at most ten seconds ago. @throws where it cannot be read */
  async get(): Promise<T> {
    const { isAwaited } = this.#dependencies;
    if (isAwaited() && this.#copy !== null && this.#isRecent(this.#copy)) return this.#copy.value;
    const read = await (isAwaited() ? this.#sharedRead() : this.#newRead());
    // The process may have been suspended since the read began.
    if (!this.#isRecent(read)) throw new Error('the answer of the API server is older than ten seconds');
    return read.value;
  }

  /** Drops the value: the next call reads it. */
  invalidate(): void {
    this.#changes += 1;
    this.#copy = null;
  }

  /** Reads the value now. @throws where it cannot be read */
  async refresh(): Promise<T> {
    return (await this.#sharedRead()).value;
  }

  /** Reads at intervals until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      await this.refresh().catch(() => undefined);
      await sleep(this.#dependencies.timer, READ_EVERY_MS, signal).catch(() => undefined);
    }
  }

  #isRecent({ confirmedAtMs }: Read<T>): boolean {
    return this.#dependencies.timer.nowMs() - confirmedAtMs < MAX_AGE_MS;
  }

  /**
   * Concurrent calls share one read. A call after a change waits for the next read, since the one under way may lack the change. It waits
   * for no third: its read began after the call, whatever changes meanwhile.
   */
  #sharedRead(): Promise<Read<T>> {
    const reading = this.#reading;
    return this.#next === null && reading?.changes === this.#changes ? reading.read : this.#newRead();
  }

  /** A read that begins after the call. */
  #newRead(): Promise<Read<T>> {
    if (this.#next !== null) return this.#next;
    if (this.#reading === null) return this.#startRead();
    const start = (): Promise<Read<T>> => this.#startRead();
    this.#next = this.#reading.read.then(start, start);
    return this.#next;
  }

  #startRead(): Promise<Read<T>> {
    const changes = this.#changes;
    const read = this.#read(changes).finally(() => (this.#reading = null));
    this.#next = null;
    this.#reading = { read, changes };
    return read;
  }

  async #read(changes: number): Promise<Read<T>> {
    const { timer, read, report, onRead } = this.#dependencies;
    // The age counts from before the read: the answer may be as old as the request.
    const confirmedAtMs = timer.nowMs();
    try {
      const value = await read();
      report(null);
      if (changes === this.#changes) this.#copy = { value, confirmedAtMs };
      const isAnnounced = changes !== this.#readChanges;
      this.#readChanges = changes;
      onRead(value, isAnnounced);
      return { value, confirmedAtMs };
    } catch (err) {
      report(err instanceof Error ? err.message : String(err));
      throw err;
    }
  }
}
