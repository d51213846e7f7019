// Reads the past behind the controller's back: a namespace at a time, and what failed again later. Nothing waits for it.

import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** Whoever is away is asked again after this long, then after twice as long, and so on. */
const FIRST_RETRY_MS: DurationMs = MINUTE_MS;
const MAX_RETRY_MS: DurationMs = 30 * MINUTE_MS;
/** So many namespaces in a row that fail: it is not they. The round ends, and begins again with those that are left. */
const FAILURES_THAT_END_A_ROUND = 2;

export interface PastUsageDependencies {
  /** Who knows the past, for messages. */
  readonly source: string;
  /** Reads one namespace's past and takes it in. Throws where that fails. */
  readonly read: (namespace: string, signal: AbortSignal) => Promise<{ readonly series: number; readonly samples: number }>;
  /** Namespaces with something to right-size, now. */
  readonly namespaces: () => Iterable<string>;
  readonly timer: MachineTimer;
  readonly logger: Logger;
}

export class PastUsage {
  readonly #dependencies: PastUsageDependencies;
  readonly #stop = new AbortController();
  readonly #done = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #left = 0;
  #finished = false;

  constructor(dependencies: PastUsageDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#running = this.#run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('reading the past is stopping'));
    await this.#running;
  }

  /** Why part of the past is missing; null where nothing is, or it has not been tried yet. */
  problem(): string | null {
    return this.#problem;
  }

  status(): { readonly status: 'ok' | 'degraded'; readonly message: string } {
    const { source } = this.#dependencies;
    const read = `${this.#done.size} ${this.#done.size === 1 ? 'namespace' : 'namespaces'} read`;
    if (this.#problem !== null) return { status: 'degraded', message: `${this.#problem} (${read}, ${this.#left} to try again)` };
    return { status: 'ok', message: this.#finished ? `${source}: the past of ${read}` : `${source}: reading the past, ${read} so far` };
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)) {
      const before = this.#done.size;
      await this.#round(signal);
      if (signal.aborted || this.#left === 0) break;
      // It goes on, only not with all: no reason to wait longer each time.
      if (this.#done.size > before) retryMs = FIRST_RETRY_MS;
      await this.#wait(retryMs, signal);
    }
    this.#finished = !signal.aborted;
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { source, read, logger } = this.#dependencies;
    const left = [...this.#dependencies.namespaces()].filter((namespace) => !this.#done.has(namespace));
    this.#left = left.length;
    let failuresInARow = 0;
    let problem: string | null = null;
    for (const namespace of left) {
      try {
        const { series, samples } = await read(namespace, signal);
        logger.info('Read past usage', { source, namespace, series, samples });
        this.#done.add(namespace);
        this.#left -= 1;
        failuresInARow = 0;
      } catch (err) {
        if (signal.aborted) return;
        problem = `past usage from ${source} is missing: ${err instanceof Error ? err.message : String(err)}`;
        logger.warn('Reading past usage failed; going on without it, and trying again later', { source, namespace, err });
        if (++failuresInARow === FAILURES_THAT_END_A_ROUND) break;
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
