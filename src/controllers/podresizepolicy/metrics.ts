import type { Counter, Gauge, Histogram, Metrics } from '../../ports/metrics.ts';

/** What the controller counts. */
export class CycleMetrics {
  readonly #cycles: Counter;
  readonly #seconds: Histogram;
  readonly #workloads: Gauge;
  readonly #reported = new Set<string>();

  constructor(metrics: Metrics) {
    const labels = ['policy'];
    this.#cycles = metrics.counter({
      name: 'evenkeel_resize_cycles_total',
      help: 'Resize cycles that ended, by policy; (none) stands for workloads that no policy governs.',
      labels,
    });
    this.#seconds = metrics.histogram({
      name: 'evenkeel_resize_cycle_duration_seconds',
      help: 'Domain time from the begin of a resize cycle to the evaluation of its last workload.',
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300],
    });
    this.#workloads = metrics.gauge({
      name: 'evenkeel_policy_workloads',
      help: 'Workloads evaluated in the last cycle of a policy.',
      labels,
    });
  }

  ended(policy: string, durationMs: number, workloads: number): void {
    this.#cycles.add(1, { policy });
    this.#seconds.observe(durationMs / 1000);
    this.#workloads.set(workloads, { policy });
    this.#reported.add(policy);
  }

  forget(policy: string): void {
    this.#workloads.remove({ policy });
    this.#reported.delete(policy);
  }

  /** No longer this replica's to tell. */
  reset(): void {
    for (const policy of this.#reported) this.forget(policy);
  }
}
