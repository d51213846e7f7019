import { LIMIT_EXCEPTION_TYPES, type LimitException, type LimitExceptionType } from '../../core/resize/model/limit-exception.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { Counter, Gauge, Metrics } from '../../ports/metrics.ts';

/** Counts limit exceptions as they open, close and stand. */
export class ExceptionMetrics {
  readonly #open: Gauge;
  readonly #applied: Gauge;
  readonly #opened: Counter;
  readonly #closed: Counter;
  readonly #known = new Map<WorkloadKey, readonly LimitException[]>();

  constructor(metrics: Metrics) {
    this.#open = metrics.gauge({ name: 'evenkeel_limit_exceptions', help: 'Open limit exceptions, by type.', labels: ['type'] });
    this.#applied = metrics.gauge({
      name: 'evenkeel_limit_overages',
      help: 'Temporary limits in force, or not yet taken back.',
    });
    this.#opened = metrics.counter({
      name: 'evenkeel_limit_exceptions_opened_total',
      help: 'Limit exceptions opened, by type.',
      labels: ['type'],
    });
    this.#closed = metrics.counter({
      name: 'evenkeel_limit_exceptions_closed_total',
      help: 'Limit exceptions closed, by how: approved, rejected, resolved.',
      labels: ['state'],
    });
    this.reset();
  }

  /** Nothing is known, or no longer this replica's to tell. */
  reset(): void {
    this.#known.clear();
    this.#export();
  }

  /** What stands after a decision, and what stood before it; null when the workload is gone. */
  decided(workload: WorkloadKey, before: readonly LimitException[], after: readonly LimitException[] | null): void {
    for (const exception of after ?? []) {
      const earlier = before.find((each) => each.container === exception.container && each.resource === exception.resource);
      if (exception.openedAt !== earlier?.openedAt) this.#opened.add(1, { type: exception.type });
      if (exception.state !== 'open' && earlier?.state === 'open') this.#closed.add(1, { state: exception.state });
    }
    const had = this.#known.has(workload);
    if (after === null || after.length === 0) this.#known.delete(workload);
    else this.#known.set(workload, after);
    if (had || this.#known.has(workload)) this.#export();
  }

  #export(): void {
    const all = [...this.#known.values()].flat();
    const open = (type: LimitExceptionType): number => all.filter((each) => each.state === 'open' && each.type === type).length;
    for (const type of LIMIT_EXCEPTION_TYPES) this.#open.set(open(type), { type });
    this.#applied.set(all.filter(({ overage }) => overage !== null && overage.returnedAt === null).length);
  }
}
