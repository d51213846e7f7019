// A recommender in a thread of its own, so that learning and deciding never hold the event loop. A thread that dies or
// hangs is replaced, and what it knew is restored before it is asked anything else.

import { Worker } from 'node:worker_threads';
import type {
  Answers,
  QuestionKind,
  Questions,
  RecommenderUpdate,
  WorkerReply,
  WorkerRequest,
} from '../../core/recommender/recommender-service.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import { RestartingThread, type Thread } from './restarting-thread.ts';
import type { RecommenderWorker } from './recommender-worker.ts';

/** Samples come one by one and leave together. */
const BATCH = 500;
const BATCH_WAIT_MS: DurationMs = 100;
/** Samples on their way to a thread that is behind; more are dropped and counted: the next minute brings new ones. */
const MAX_IN_FLIGHT = 100_000;
/** A question that is not answered by then finds the thread hanging. The longest is a backfill of two weeks. */
const ANSWER_WITHIN_MS: DurationMs = 120 * SECOND_MS;
export interface ThreadWorkerDependencies {
  readonly index: number;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when a thread had to be replaced; until it resolves nothing but `restore` is answered. */
  readonly restoreLost: () => Promise<void>;
  /** @param sequence where the predecessor's count ended */
  readonly start?: (sequence: number) => Thread<WorkerRequest, WorkerReply>;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly cancelDeadline: () => void;
}

export class ThreadWorker implements RecommenderWorker {
  readonly #parts: ThreadWorkerDependencies;
  readonly #restarts: Counter;
  readonly #dropped: Counter;
  readonly #pending = new Map<number, Pending>();
  readonly #thread: RestartingThread<WorkerRequest, WorkerReply>;
  #batch: RecommenderUpdate[] = [];
  #onTheWay = 0;
  #nextId = 1;
  #sequence = 0;
  #stopped = false;
  /** Resolves when the thread knows again what its predecessor knew. */
  #ready: Promise<void> = Promise.resolve();
  #markReady: () => void = () => undefined;
  #cancelBatch: (() => void) | null = null;

  constructor(parts: ThreadWorkerDependencies) {
    this.#parts = parts;
    const { metrics } = parts;
    this.#restarts = metrics.counter({
      name: 'evenkeel_recommender_thread_restarts_total',
      help: 'Threads of the recommender that died or hung and were replaced.',
    });
    this.#dropped = metrics.counter({
      name: 'evenkeel_recommender_samples_dropped_total',
      help: 'Samples that a thread of the recommender did not take: it was too far behind, or could not understand them.',
      labels: ['reason'],
    });
    this.#thread = new RestartingThread({
      timer: parts.timer,
      start: () => (parts.start ?? startThread)(this.#sequence),
      onReply: (reply) => this.#receive(reply),
      onLost: (error) => this.#lose(error),
      onRestarted: () => this.#restoreLost(),
    });
    this.#thread.start();
  }

  notify(update: RecommenderUpdate): void {
    if (this.#stopped) return;
    if (this.#onTheWay + this.#batch.length >= MAX_IN_FLIGHT) {
      this.#dropped.add(1, { reason: 'behind' });
      return;
    }
    this.#batch.push(update);
    if (this.#batch.length >= BATCH) this.#flush();
    else this.#cancelBatch ??= this.#parts.timer.setTimer(BATCH_WAIT_MS, () => this.#flush());
  }

  async ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    if (kind === 'restore') return await this.#put(kind, question);
    await this.#ready;
    const answer = await this.#put(kind, question);
    this.#thread.resetPause();
    return answer;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelBatch?.();
    this.#rejectAll(new Error('the recommender is stopping'));
    this.#markReady();
    await this.#thread.stop();
  }

  #put<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    const thread = this.#thread.current;
    if (thread === null) return Promise.reject(new Error('the recommender has no thread at this moment: ask again shortly'));
    this.#flush();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const cancelDeadline = this.#parts.timer.setTimer(ANSWER_WITHIN_MS, () => {
        this.#thread.replace(thread, new Error(`'${kind}' was not answered within ${ANSWER_WITHIN_MS / SECOND_MS} s`));
      });
      this.#pending.set(id, { resolve, reject, cancelDeadline });
      thread.postMessage({ type: 'ask', id, kind, question });
    });
  }

  #receive(reply: WorkerReply): void {
    if (reply.type === 'received') {
      this.#onTheWay -= reply.count;
      if (reply.failed === 0) return;
      this.#dropped.add(reply.failed, { reason: 'error' });
      this.#parts.logger.error('The recommender could not take samples', { samples: reply.failed, err: reply.error });
      return;
    }
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    pending.cancelDeadline();
    if (reply.type === 'failure') {
      pending.reject(new Error(`the recommender failed: ${reply.message}`));
      return;
    }
    const { answer } = reply;
    if (typeof answer === 'object' && 'sequence' in answer) this.#sequence = answer.sequence;
    pending.resolve(answer as never);
  }

  #lose(error: unknown): void {
    this.#restarts.add();
    this.#parts.logger.error('A thread of the recommender is lost; starting another from what was saved', {
      thread: this.#parts.index,
      err: error,
    });
    this.#onTheWay = 0;
    // Well past whatever it had counted since it last told: marks that were taken of it stay good.
    this.#sequence += 2 ** 32;
    this.#rejectAll(new Error('the thread of the recommender that was asked is lost: ask again shortly'));
    this.#ready = new Promise((resolve) => (this.#markReady = resolve));
  }

  #restoreLost(): void {
    const markReady = this.#markReady;
    this.#parts.restoreLost().then(markReady, (err: unknown) => {
      this.#parts.logger.warn('Restoring what was learnt failed; beginning with what can be learnt', { err });
      markReady();
    });
  }

  #rejectAll(error: Error): void {
    for (const { reject, cancelDeadline } of this.#pending.values()) {
      cancelDeadline();
      reject(error);
    }
    this.#pending.clear();
  }

  #flush(): void {
    this.#cancelBatch?.();
    this.#cancelBatch = null;
    const { current } = this.#thread;
    if (this.#batch.length === 0 || current === null) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#onTheWay += batch.length;
    current.postMessage({ type: 'notify', batch });
  }
}

// Beside this file in `src/` as in `dist/`.
function startThread(sequence: number): Thread<WorkerRequest, WorkerReply> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`../../workers/recommender.${extension}`, import.meta.url), {
    name: 'recommender',
    workerData: { sequence },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
