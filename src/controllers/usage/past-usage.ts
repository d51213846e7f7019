// Reads past usage in the background, one namespace at a time, and retries namespaces that failed. Decisions do not wait for it.

import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** Retry interval, doubled after each round in which no namespace was read. */
const FIRST_RETRY_MS: DurationMs = MINUTE_MS;
const MAX_RETRY_MS: DurationMs = 30 * MINUTE_MS;
/** After this many failures in a row the source itself is taken to be the cause: the round ends, and a later one reads the rest. */
const MAX_FAILURES_IN_A_ROW = 2;

export interface PastUsageDependencies {
  /** Name of the source, for messages. */
  readonly source: string;
  /**
   * Reads the past usage of one namespace.
   * @throws where the source fails
   */
  readonly read: (namespace: string, signal: AbortSignal) => Promise<{ readonly series: number; readonly samples: number }>;
  /** Namespaces that have workloads. */
  readonly namespaces: () => Iterable<string>;
  readonly timer: MachineTimer;
  readonly logger: Logger;
}

export class PastUsage {
  readonly #dependencies: PastUsageDependencies;
  readonly #stop = new AbortController();
  readonly #read = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #remaining = 0;
  #finished = false;

  constructor(dependencies: PastUsageDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#running = this.#run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('reading past usage was stopped'));
    await this.#running;
  }

  /** Why past usage is missing; null where none is missing or none has been read yet. */
  problem(): string | null {
    return this.#problem;
  }

  status(): { readonly status: 'ok' | 'degraded'; readonly message: string } {
    const { source } = this.#dependencies;
    const read = `${this.#read.size} ${this.#read.size === 1 ? 'namespace' : 'namespaces'} read`;
    if (this.#problem !== null) return { status: 'degraded', message: `${this.#problem} (${read}, ${this.#remaining} to try again)` };
    return { status: 'ok', message: this.#finished ? `${source}: past usage of ${read}` : `${source}: reading past usage, ${read} so far` };
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)) {
      const before = this.#read.size;
      await this.#readRemaining(signal);
      if (signal.aborted || this.#remaining === 0) break;
      // A round that read some namespaces shows that the source works: the interval starts again.
      if (this.#read.size > before) retryMs = FIRST_RETRY_MS;
      await this.#wait(retryMs, signal);
    }
    this.#finished = !signal.aborted;
  }

  async #readRemaining(signal: AbortSignal): Promise<void> {
    const { source, read, logger } = this.#dependencies;
    const remaining = [...this.#dependencies.namespaces()].filter((namespace) => !this.#read.has(namespace));
    this.#remaining = remaining.length;
    let failuresInARow = 0;
    let problem: string | null = null;
    for (const namespace of remaining) {
      try {
        const { series, samples } = await read(namespace, signal);
        logger.info('Read past usage', { source, namespace, series, samples });
        this.#read.add(namespace);
        this.#remaining -= 1;
        failuresInARow = 0;
      } catch (err) {
        if (signal.aborted) return;
        problem = `past usage from ${source} is missing: ${err instanceof Error ? err.message : String(err)}`;
        logger.warn('Reading past usage failed; will retry', { source, namespace, err });
        if (++failuresInARow === MAX_FAILURES_IN_A_ROW) break;
      }
    }
    this.#problem = problem;
  }

  #wait(ms: DurationMs, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#dependencies.timer.setTimer(ms, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
