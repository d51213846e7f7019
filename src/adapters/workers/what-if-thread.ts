// What-if questions in a worker thread. Snapshots and answers are in shared memory, so that the event loop only copies the columns of a
// snapshot: 20 MB at 150,000 pods.

import { Worker } from 'node:worker_threads';
import type { RemovalAnswer, RemovalQuestion } from '../../core/scheduling/removals/removal-service.ts';
import { copyArrays } from '../../core/scheduling/columns/shared-arrays.ts';
import type { SnapshotChanges, SnapshotColumns } from '../../core/scheduling/columns/snapshot-columns.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { RestartingThread, type Thread } from './restarting-thread.ts';

/** Without an answer for so long the thread hangs. A question about 5,000 nodes takes 2 s. */
const ANSWER_WITHIN_MS: DurationMs = 60 * SECOND_MS;

export interface WhatIfRequest {
  readonly id: number;
  readonly question: RemovalQuestion;
}

export interface WhatIfReply {
  readonly id: number;
  readonly answer: RemovalAnswer;
}

export interface WhatIfThreadDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly start?: () => Thread<WhatIfRequest, WhatIfReply>;
}

interface Pending {
  readonly resolve: (answer: RemovalAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly cancelDeadline: () => void;
}

/** Answers "what if each node went" off the event loop. */
export class WhatIfThread {
  readonly #timer: MachineTimer;
  readonly #logger: Logger;
  readonly #thread: RestartingThread<WhatIfRequest, WhatIfReply>;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  /** Whether the thread has an answer that further ones can continue. */
  #hasAnswered = false;

  constructor({ timer, logger, start }: WhatIfThreadDependencies) {
    this.#timer = timer;
    this.#logger = logger;
    this.#thread = new RestartingThread({
      timer,
      start: start ?? startThread,
      onReply: (reply) => this.#receive(reply),
      onLost: (error) => this.#handleLoss(error),
      onRestarted: () => undefined,
    });
    this.#thread.start();
  }

  /**
   * Asks about a snapshot. The columns are copied at once, so that the caller may change them. Rejects while the thread is being
   * replaced, when it is lost before the answer, after the deadline, and after `stop`; the next question is then about everything.
   *
   * @param changes since the question before
   */
  async ask(columns: SnapshotColumns, changes: SnapshotChanges): Promise<RemovalAnswer> {
    const thread = this.#thread.current;
    if (thread === null) throw new Error('the what-if thread is restarting; retry shortly');
    const id = this.#nextId++;
    const question = { columns: copyArrays(columns), changes: { ...changes, everything: changes.everything || !this.#hasAnswered } };
    // Questions are answered in order: the next one continues this one.
    this.#hasAnswered = true;
    return await new Promise((resolve, reject) => {
      const cancelDeadline = this.#timer.setTimer(ANSWER_WITHIN_MS, () => {
        this.#thread.replace(thread, new Error(`a what-if question was not answered within ${ANSWER_WITHIN_MS / SECOND_MS} s`));
      });
      this.#pending.set(id, { resolve, reject, cancelDeadline });
      thread.postMessage({ id, question });
    });
  }

  async stop(): Promise<void> {
    this.#rejectAll(new Error('the what-if thread is stopping'));
    await this.#thread.stop();
  }

  #receive({ id, answer }: WhatIfReply): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.cancelDeadline();
    this.#thread.resetPause();
    pending.resolve(answer);
  }

  #handleLoss(error: unknown): void {
    this.#logger.error('The what-if thread exited or timed out; starting a new one', { err: error });
    this.#rejectAll(new Error('the what-if thread exited or timed out; retry shortly'));
  }

  #rejectAll(error: Error): void {
    this.#hasAnswered = false;
    for (const { reject, cancelDeadline } of this.#pending.values()) {
      cancelDeadline();
      reject(error);
    }
    this.#pending.clear();
  }
}

// The worker's path relative to this file is the same in `src/` and `dist/`.
function startThread(): Thread<WhatIfRequest, WhatIfReply> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`../../workers/what-if.${extension}`, import.meta.url), {
    name: 'what-if',
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
