import type { DurationMs } from '#kube/units';
import type { Logger } from '../ports/logger.ts';
import type { MachineTimer } from '../ports/clock.ts';
import type { Counter, Gauge, Histogram, Metrics } from '../ports/metrics.ts';
import { isUnavailable } from '../ports/unavailable-error.ts';
import { type Reconciler, TerminalError } from './reconciler.ts';
import type { WorkQueue } from './work-queue.ts';

/** A reconcile that takes longer waits for a response that will not come, and is aborted. */
const RECONCILE_DEADLINE_MS: DurationMs = 60_000;
/**
 * Failures in an outage are not caused by the key, so its back-off must not delay it for minutes after the outage. The load on a
 * recovering API server is bounded by the number of workers and the client's rate limit.
 */
const MAX_OUTAGE_RETRY_MS: DurationMs = 30_000;

export interface ReconcilerHostDependencies<K extends string> {
  readonly name: string;
  readonly queue: WorkQueue<K>;
  readonly reconciler: Reconciler<K>;
  readonly machine: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Number of concurrent reconciles. */
  readonly workers: number;
}

interface HostMetrics {
  readonly results: Counter;
  readonly seconds: Histogram;
  readonly latency: Histogram;
  readonly depth: Gauge;
}

/** Reconciles the keys of a queue until its signal aborts. A failing key does not delay others. */
export class ReconcilerHost<K extends string = string> {
  readonly #dependencies: ReconcilerHostDependencies<K>;
  readonly #metrics: HostMetrics;
  #sequence = 0;

  constructor(dependencies: ReconcilerHostDependencies<K>) {
    this.#dependencies = dependencies;
    this.#metrics = hostMetrics(dependencies.metrics);
    for (const result of ['success', 'error', 'terminal']) this.#metrics.results.add(0, { controller: dependencies.name, result });
  }

  /** Resolves when the signal has aborted and every running reconcile has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#dependencies.queue.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await Promise.all(Array.from({ length: this.#dependencies.workers }, () => this.#work(signal)));
    signal.removeEventListener('abort', stop);
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { queue, name } = this.#dependencies;
    for (;;) {
      const item = await queue.take();
      if (item === undefined) return;
      this.#metrics.latency.observe(item.waitedMs / 1000, { controller: name });
      try {
        await this.#reconcile(item.key, signal);
      } finally {
        queue.done(item.key);
        this.#metrics.depth.set(queue.depth, { controller: name });
      }
    }
  }

  async #reconcile(key: K, signal: AbortSignal): Promise<void> {
    const { queue, name, reconciler, machine } = this.#dependencies;
    this.#sequence += 1;
    const sequence = this.#sequence;
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const cancelDeadline = machine.setTimer(RECONCILE_DEADLINE_MS, () =>
      stop.abort(new Error(`reconciling took more than ${RECONCILE_DEADLINE_MS / 1000} s`)),
    );
    const startedAtMs = machine.nowMs();
    try {
      const result = await reconciler.reconcile(key, stop.signal);
      queue.forget(key);
      if ('requeueAfterMs' in result) queue.addAfter(key, result.requeueAfterMs);
      this.#metrics.results.add(1, { controller: name, result: 'success' });
    } catch (err) {
      this.#handleFailure(key, err, signal, sequence);
    } finally {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
      this.#metrics.seconds.observe((machine.nowMs() - startedAtMs) / 1000, { controller: name });
    }
  }

  #handleFailure(key: K, err: unknown, signal: AbortSignal, sequence: number): void {
    const { queue, name } = this.#dependencies;
    if (signal.aborted) return; // the process stops or the term has ended, which is no failure of the key
    const logger = this.#dependencies.logger.child({ controller: name, object: key, reconcileId: `${name}-${sequence}` });
    if (err instanceof TerminalError) {
      queue.forget(key);
      this.#metrics.results.add(1, { controller: name, result: 'terminal' });
      logger.error('Reconcile failed; not retrying before the object changes', { err });
      return;
    }
    const retryInMs = queue.addRateLimited(key, isUnavailable(err) ? MAX_OUTAGE_RETRY_MS : undefined);
    this.#metrics.results.add(1, { controller: name, result: 'error' });
    logger.warn('Reconcile failed; will retry', { err, retryInMs: Math.round(retryInMs), failures: queue.failuresOf(key) });
  }
}

function hostMetrics(metrics: Metrics): HostMetrics {
  const labels = ['controller'];
  return {
    results: metrics.counter({
      name: 'evenkeel_reconcile_total',
      help: 'Reconciles by controller and result (success, error, terminal).',
      labels: ['controller', 'result'],
    }),
    seconds: metrics.histogram({
      name: 'evenkeel_reconcile_duration_seconds',
      help: 'Duration of reconciles in machine time.',
      labels,
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    }),
    latency: metrics.histogram({
      name: 'evenkeel_workqueue_wait_seconds',
      help: 'Time that keys waited in the queue, in machine time.',
      labels,
      buckets: [0.001, 0.01, 0.1, 1, 10, 60],
    }),
    depth: metrics.gauge({ name: 'evenkeel_workqueue_depth', help: 'Keys that are queued or being reconciled.', labels }),
  };
}
