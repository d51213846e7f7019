// A worker thread that is replaced when it dies or hangs.

import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';

/** The first pause before a replacement starts; each further loss before the thread has answered anything doubles it. */
const PAUSE_MS: DurationMs = SECOND_MS;
const MAX_PAUSE_MS: DurationMs = 60 * SECOND_MS;

/** What is needed of a `Worker`: tests bring their own. */
export interface Thread<Request, Reply> {
  postMessage(request: Request): void;
  on(event: 'message', listener: (reply: Reply) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

export interface RestartingThreadDependencies<Request, Reply> {
  readonly timer: MachineTimer;
  readonly start: () => Thread<Request, Reply>;
  readonly onReply: (reply: Reply) => void;
  /** Called when the thread is lost: nothing that was asked of it will be answered. */
  readonly onLost: (error: unknown) => void;
  /** Called when its replacement runs. */
  readonly onRestarted: () => void;
}

export class RestartingThread<Request, Reply> {
  readonly #dependencies: RestartingThreadDependencies<Request, Reply>;
  #thread: Thread<Request, Reply> | null = null;
  #lossesInARow = 0;
  #cancelPause: (() => void) | null = null;

  constructor(dependencies: RestartingThreadDependencies<Request, Reply>) {
    this.#dependencies = dependencies;
  }

  /** null between a loss and the restart, before `start` and after `stop`. */
  get current(): Thread<Request, Reply> | null {
    return this.#thread;
  }

  start(): void {
    const thread = this.#dependencies.start();
    this.#thread = thread;
    thread.on('message', (reply) => this.#dependencies.onReply(reply));
    thread.on('error', (error) => this.replace(thread, error));
    thread.on('exit', (code) => this.replace(thread, new Error(`it ended with code ${code}`)));
  }

  /** The thread has answered: the next loss is the first in a row. */
  resetPause(): void {
    this.#lossesInARow = 0;
  }

  /** Ends a thread and starts another after a pause. Does nothing where `thread` is not the current one. */
  replace(thread: Thread<Request, Reply>, error: unknown): void {
    if (thread !== this.#thread) return;
    this.#thread = null;
    this.#dependencies.onLost(error);
    void thread.terminate();
    const pauseMs = Math.min(PAUSE_MS * 2 ** this.#lossesInARow, MAX_PAUSE_MS);
    this.#lossesInARow += 1;
    this.#cancelPause = this.#dependencies.timer.setTimer(pauseMs, () => {
      this.#cancelPause = null;
      this.start();
      this.#dependencies.onRestarted();
    });
  }

  async stop(): Promise<void> {
    this.#cancelPause?.();
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
}
