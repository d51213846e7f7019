// Watches whether the main thread runs: it alone acts, so that a lease without it would keep another replica from acting.

import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { LeaseStore } from '../../ports/cluster/lease-store.ts';
import type { Logger } from '../../ports/logger.ts';

const PING_PERIOD_MS: DurationMs = SECOND_MS;
/** Far above the few seconds that the event loop of a large cluster may be blocked for. */
export const ANSWER_WITHIN_MS: DurationMs = 15 * SECOND_MS;
const SILENT = `the main thread has not answered for ${ANSWER_WITHIN_MS / SECOND_MS} s`;

export interface MainThreadWatchDependencies {
  readonly machine: MachineTimer;
  readonly ping: () => void;
  /** Its lines wait for the main thread. */
  readonly logger: Logger;
  /** Prints a line without the main thread. */
  readonly print: (message: string) => void;
}

/** Asks the main thread for an answer once a second, and lets no lease be acquired or renewed while it gives none. */
export class MainThreadWatch {
  readonly #dependencies: MainThreadWatchDependencies;
  #answeredAtMs: number;
  #isReported = false;
  #cancel: () => void = () => undefined;

  constructor(dependencies: MainThreadWatchDependencies) {
    this.#dependencies = dependencies;
    this.#answeredAtMs = dependencies.machine.nowMs();
  }

  start(): void {
    const { machine, ping, print } = this.#dependencies;
    ping();
    if (this.#isSilent() && !this.#isReported) {
      this.#isReported = true;
      print(`Main thread has not answered for ${ANSWER_WITHIN_MS / SECOND_MS} s; the lease is not renewed until it answers`);
    }
    this.#cancel = machine.setTimer(PING_PERIOD_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
  }

  /** Records a message of the main thread. */
  markAnswered(): void {
    const { machine, logger } = this.#dependencies;
    const nowMs = machine.nowMs();
    if (this.#isReported) logger.warn('Main thread answers again', { afterMs: Math.round(nowMs - this.#answeredAtMs) });
    this.#isReported = false;
    this.#answeredAtMs = nowMs;
  }

  /**
   * Rejects requests while the main thread is silent. A held lease then expires and is not released: a release promises that the holder
   * writes nothing more, and a main thread that does not answer may have requests under way.
   */
  over(store: LeaseStore): LeaseStore {
    const whileAnswering = async <T>(send: () => Promise<T>): Promise<T> => {
      if (this.#isSilent()) throw new Error(SILENT);
      return await send();
    };
    return {
      read: (signal) => whileAnswering(() => store.read(signal)),
      create: (lease, signal) => whileAnswering(() => store.create(lease, signal)),
      update: (resourceVersion, lease, signal) => whileAnswering(() => store.update(resourceVersion, lease, signal)),
    };
  }

  #isSilent(): boolean {
    return this.#dependencies.machine.nowMs() - this.#answeredAtMs >= ANSWER_WITHIN_MS;
  }
}
