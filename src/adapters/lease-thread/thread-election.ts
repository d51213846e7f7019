// Leader election in a worker thread, so that a busy event loop does not lose the lease. The work of a term runs in the main thread.

import { Worker } from 'node:worker_threads';
import type { ApiRequest, ApiResponse } from '#kube/api-transport';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Election } from '../../ports/cluster/election.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Gauge, Metrics } from '../../ports/metrics.ts';
import type { Random } from '../../ports/random.ts';
import { backoffMs, type BackoffRules } from '../../runtime/backoff.ts';
import { LEADER_GAUGE } from '../../runtime/leader-election.ts';
import { threadLimits } from '../workers/thread-limits.ts';
import { sleep } from '../kubernetes/sleep.ts';
import type { Thread } from '../workers/restarting-thread.ts';
import type { ElectionReply, ElectionRequest, ElectionStatus, ElectionThreadData } from './messages.ts';
import { applyChange } from './posted-metrics.ts';
import { SharedDeadline } from './shared-deadline.ts';

const RESTART_BACKOFF: BackoffRules = { firstMs: SECOND_MS, maxMs: 60 * SECOND_MS, factor: 2, jitterRatio: 0.5 };
/** The thread posts a message each second. Without one in two such periods in a row it hangs. */
const MESSAGE_PERIOD_MS: DurationMs = 15 * SECOND_MS;

export interface ThreadElectionDependencies extends Omit<ElectionThreadData, 'deadline'> {
  readonly timer: MachineTimer;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called with each response of the API server. */
  readonly onResponse: (request: ApiRequest, response: ApiResponse) => void;
  readonly start?: (data: ElectionThreadData) => Thread<ElectionRequest, ElectionReply>;
}

interface Term {
  readonly end: AbortController;
  readonly work: Promise<void>;
}

type Lead = (term: AbortSignal) => Promise<void>;

/** An Election in a thread, which is replaced when it dies or hangs. */
export class ThreadElection implements Election {
  readonly #dependencies: ThreadElectionDependencies;
  readonly #leaderGauge: Gauge;
  /** Another one for each thread, so that a former thread cannot extend it. */
  #deadline = new SharedDeadline();
  #status: ElectionStatus = { holder: null, transitions: 0, problem: null };
  #term: Term | null = null;

  constructor(dependencies: ThreadElectionDependencies) {
    this.#dependencies = dependencies;
    this.#leaderGauge = dependencies.metrics.gauge(LEADER_GAUGE);
    this.#leaderGauge.set(0);
  }

  holder(): string | null {
    return this.#status.holder;
  }

  transitions(): number {
    return this.#status.transitions;
  }

  problem(): string | null {
    return this.#status.problem;
  }

  /** Without a message of the thread: after a blocked event loop, its messages are processed later than the next write. */
  isLeader(): boolean {
    return this.#dependencies.timer.nowMs() < this.#deadline.get();
  }

  async run(lead: Lead, signal: AbortSignal): Promise<void> {
    const { timer, random, logger } = this.#dependencies;
    let losses = 0;
    while (!signal.aborted) {
      const startedAtMs = timer.nowMs();
      const err = await this.#runThread(lead, signal);
      if (err === null) return;
      losses = timer.nowMs() - startedAtMs > RESTART_BACKOFF.maxMs ? 1 : losses + 1;
      const pauseMs = backoffMs(RESTART_BACKOFF, losses, random);
      logger.error('The leader election thread exited or timed out; starting a new one', { pauseMs: Math.round(pauseMs), err });
      await sleep(timer, pauseMs, signal).catch(() => undefined);
    }
  }

  /** Runs one thread to its end. Resolves with null where it was stopped, and with the error where it was lost. */
  async #runThread(lead: Lead, signal: AbortSignal): Promise<Error | null> {
    this.#deadline = new SharedDeadline();
    const thread = this.#startThread();
    const end = Promise.withResolvers<Error | null>();
    let isOver = false;
    const finish = (err: Error | null): void => {
      if (isOver) return;
      isOver = true;
      if (err !== null) this.#endLeadership(err);
      end.resolve(err);
    };
    const cancelWatch = this.#watchMessages(thread, finish);
    thread.on('message', (reply) => {
      // A thread that is lost must not begin another term.
      if (isOver) return;
      if (reply.type === 'stopped') finish(null);
      else this.#receive(reply, thread, lead, signal);
    });
    thread.on('error', (err) => finish(err instanceof Error ? err : new Error(String(err))));
    thread.on('exit', (code) => finish(new Error(`it exited with code ${code}`)));
    const stop = (): void => {
      thread.postMessage({ type: 'stop' });
      this.#term?.end.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    const err = await end.promise;
    signal.removeEventListener('abort', stop);
    cancelWatch();
    await thread.terminate();
    await this.#term?.work;
    return err;
  }

  /** A thread that is lost renews the lease no more: the leadership ends at once, before the work does. */
  #endLeadership({ message }: Error): void {
    this.#deadline = new SharedDeadline();
    this.#leaderGauge.set(0);
    this.#status = { ...this.#status, holder: null, problem: `the leader election thread is restarting: ${message}` };
    this.#term?.end.abort();
  }

  #receive(
    reply: Exclude<ElectionReply, { type: 'stopped' }>,
    thread: Thread<ElectionRequest, ElectionReply>,
    lead: Lead,
    signal: AbortSignal,
  ): void {
    const { logger, metrics, onResponse } = this.#dependencies;
    switch (reply.type) {
      case 'ping':
        this.#status = reply.status;
        thread.postMessage({ type: 'pong' });
        break;
      case 'term-began':
        this.#status = reply.status;
        this.#beginTerm(thread, lead, signal);
        break;
      case 'term-ended':
        this.#status = reply.status;
        this.#term?.end.abort();
        break;
      case 'log':
        logger[reply.level](reply.message, reply.fields);
        break;
      case 'metric':
        applyChange(metrics, reply.change);
        break;
      case 'response':
        onResponse(reply.request, reply.response);
    }
  }

  #beginTerm(thread: Thread<ElectionRequest, ElectionReply>, lead: Lead, signal: AbortSignal): void {
    const end = new AbortController();
    if (signal.aborted) end.abort();
    const finish = (error: string | null): void => {
      this.#term = null;
      thread.postMessage({ type: 'term-done', error });
    };
    const work = lead(end.signal).then(
      () => finish(null),
      (err: unknown) => finish(err instanceof Error ? (err.stack ?? err.message) : String(err)),
    );
    this.#term = { end, work };
  }

  /** Reports a thread that hangs. After a blocked event loop, one period passes before the messages that waited are counted. */
  #watchMessages(thread: Thread<ElectionRequest, ElectionReply>, onHang: (err: Error) => void): () => void {
    const { timer } = this.#dependencies;
    let silentPeriods = 0;
    thread.on('message', () => (silentPeriods = 0));
    let cancel: () => void = () => undefined;
    const check = (): void => {
      silentPeriods += 1;
      if (silentPeriods > 2) onHang(new Error(`no message for ${(2 * MESSAGE_PERIOD_MS) / SECOND_MS} s`));
      else cancel = timer.setTimer(MESSAGE_PERIOD_MS, check);
    };
    check();
    return () => cancel();
  }

  #startThread(): Thread<ElectionRequest, ElectionReply> {
    const { connection, userAgent, namespace, lease, identity, start = startThread } = this.#dependencies;
    return start({ connection, userAgent, namespace, lease, identity, deadline: this.#deadline.memory });
  }
}

// The worker's path relative to this file is the same in `src/` and `dist/`.
function startThread(data: ElectionThreadData): Thread<ElectionRequest, ElectionReply> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`../../workers/leader-election.${extension}`, import.meta.url), {
    name: 'leader-election',
    workerData: data,
    resourceLimits: threadLimits(),
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
