// A recommender in a worker thread, so that learning and deciding never block the event loop. A thread that dies or hangs is replaced, and
// its state is restored before it gets other questions.

import { Worker } from 'node:worker_threads';
import type { Answers, QuestionKind, Questions, RecommenderUpdate, WorkerReply } from '../../core/recommender/recommender-service.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import { threadLimits } from './thread-limits.ts';
import { RestartingThread, type Thread } from './restarting-thread.ts';
import { requestsOf, type RecommenderRequest } from './recommender-messages.ts';
import type { RecommenderWorker } from './recommender-worker.ts';

/** Maximum samples of one message. */
const BATCH = 500;
const BATCH_WAIT_MS: DurationMs = 100;
/** Maximum samples queued for a thread that is behind. Further ones are dropped and counted; the next minute brings new ones. */
const MAX_IN_FLIGHT = 100_000;
/** Without an answer for so long the thread hangs. The longest question is a backfill of two weeks. */
const ANSWER_WITHIN_MS: DurationMs = 120 * SECOND_MS;

export interface ThreadWorkerDependencies {
  readonly index: number;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called after the thread was replaced. Until it resolves only `restore` is answered. */
  readonly restoreLost: () => Promise<void>;
  /** @param sequence last sequence number of the predecessor */
  readonly start?: (sequence: number) => Thread<RecommenderRequest, WorkerReply>;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly cancelDeadline: () => void;
}

/** A RecommenderWorker over a RestartingThread. */
export class ThreadWorker implements RecommenderWorker {
  readonly #dependencies: ThreadWorkerDependencies;
  readonly #restarts: Counter;
  readonly #dropped: Counter;
  readonly #pending = new Map<number, Pending>();
  readonly #thread: RestartingThread<RecommenderRequest, WorkerReply>;
  #batch: RecommenderUpdate[] = [];
  #unacknowledged = 0;
  #nextId = 1;
  #sequence = 0;
  #stopped = false;
  /** Resolves when the state of the previous thread is restored. */
  #ready: Promise<void> = Promise.resolve();
  #markReady: () => void = () => undefined;
  #cancelBatch: (() => void) | null = null;

  constructor(dependencies: ThreadWorkerDependencies) {
    this.#dependencies = dependencies;
    const { metrics } = dependencies;
    this.#restarts = metrics.counter({
      name: 'evenkeel_recommender_thread_restarts_total',
      help: 'Replacements of recommender threads after they exited or timed out.',
    });
    this.#dropped = metrics.counter({
      name: 'evenkeel_recommender_samples_dropped_total',
      help: 'Samples dropped by recommender threads, by reason: behind (the queue was full), error (the sample was rejected).',
      labels: ['reason'],
    });
    this.#thread = new RestartingThread({
      timer: dependencies.timer,
      start: () => (dependencies.start ?? startThread)(this.#sequence),
      onReply: (reply) => this.#receive(reply),
      onLost: (error) => this.#handleLoss(error),
      onRestarted: () => this.#restoreLost(),
    });
    this.#thread.start();
  }

  notify(update: RecommenderUpdate): void {
    if (this.#stopped) return;
    if (this.#unacknowledged + this.#batch.length >= MAX_IN_FLIGHT) {
      this.#dropped.add(1, { reason: 'behind' });
      return;
    }
    this.#batch.push(update);
    if (this.#batch.length >= BATCH) this.#flush();
    else this.#cancelBatch ??= this.#dependencies.timer.setTimer(BATCH_WAIT_MS, () => this.#flush());
  }

  async ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    if (kind === 'restore') return await this.#post(kind, question);
    await this.#ready;
    const answer = await this.#post(kind, question);
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

  #post<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    const thread = this.#thread.current;
    if (thread === null) return Promise.reject(new Error('the recommender thread is restarting; retry shortly'));
    this.#flush();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const cancelDeadline = this.#dependencies.timer.setTimer(ANSWER_WITHIN_MS, () => {
        this.#thread.replace(thread, new Error(`'${kind}' was not answered within ${ANSWER_WITHIN_MS / SECOND_MS} s`));
      });
      this.#pending.set(id, { resolve, reject, cancelDeadline });
      thread.postMessage({ type: 'ask', id, kind, question });
    });
  }

  #receive(reply: WorkerReply): void {
    if (reply.type === 'received') {
      this.#unacknowledged -= reply.count;
      if (reply.failed === 0) return;
      this.#dropped.add(reply.failed, { reason: 'error' });
      this.#dependencies.logger.error('The recommender rejected samples', { samples: reply.failed, err: reply.error });
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

  #handleLoss(error: unknown): void {
    this.#restarts.add();
    this.#dependencies.logger.error('A recommender thread exited or timed out; starting a new one from saved checkpoints', {
      thread: this.#dependencies.index,
      err: error,
    });
    this.#unacknowledged = 0;
    // Far above any number that the lost thread can have reached, so that marks taken from it remain valid.
    this.#sequence += 2 ** 32;
    this.#rejectAll(new Error('the recommender thread exited or timed out; retry shortly'));
    this.#ready = new Promise((resolve) => (this.#markReady = resolve));
  }

  #restoreLost(): void {
    const markReady = this.#markReady;
    this.#dependencies.restoreLost().then(markReady, (err: unknown) => {
      this.#dependencies.logger.warn('Restoring the recommender checkpoints failed; continuing with new samples', { err });
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
    this.#unacknowledged += batch.length;
    for (const request of requestsOf(batch)) current.postMessage(request);
  }
}

// The worker's path relative to this file is the same in `src/` and `dist/`.
function startThread(sequence: number): Thread<RecommenderRequest, WorkerReply> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`../../workers/recommender.${extension}`, import.meta.url), {
    name: 'recommender',
    workerData: { sequence },
    resourceLimits: threadLimits(),
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
