import { LIMIT_EXCEPTION_TYPES, type LimitException, type LimitExceptionType } from '../../../core/resize/model/limit-exception.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { Counter, Gauge, Metrics } from '../../../ports/metrics.ts';

/** Exports open, opened and closed limit exceptions. */
export class ExceptionMetrics {
  readonly #open: Gauge;
  readonly #applied: Gauge;
  readonly #opened: Counter;
  readonly #closed: Counter;
  readonly #exceptions = new Map<WorkloadKey, readonly LimitException[]>();

  constructor(metrics: Metrics) {
    this.#open = metrics.gauge({ name: 'evenkeel_limit_exceptions', help: 'Open limit exceptions, by type.', labels: ['type'] });
    this.#applied = metrics.gauge({
      name: 'evenkeel_limit_overages',
      help: 'Temporary limits that are in force or not yet removed.',
    });
    this.#opened = metrics.counter({
      name: 'evenkeel_limit_exceptions_opened_total',
      help: 'Limit exceptions opened, by type.',
      labels: ['type'],
    });
    this.#closed = metrics.counter({
      name: 'evenkeel_limit_exceptions_closed_total',
      help: 'Limit exceptions closed, by state: approved, rejected, resolved.',
      labels: ['state'],
    });
    this.reset();
  }

  /** Clears the gauges. Called at start and when leadership ends: two replicas that export them would double every sum. */
  reset(): void {
    this.#exceptions.clear();
    this.#export();
  }

  /** Records the exceptions of a workload before and after a decision; `after` is null once the workload is gone. */
  setExceptions(workload: WorkloadKey, before: readonly LimitException[], after: readonly LimitException[] | null): void {
    for (const exception of after ?? []) {
      const earlier = before.find(({ container, resource }) => container === exception.container && resource === exception.resource);
      if (exception.openedAt !== earlier?.openedAt) this.#opened.add(1, { type: exception.type });
      if (exception.state !== 'open' && earlier?.state === 'open') this.#closed.add(1, { state: exception.state });
    }
    const hadExceptions = this.#exceptions.has(workload);
    if (after === null || after.length === 0) this.#exceptions.delete(workload);
    else this.#exceptions.set(workload, after);
    if (hadExceptions || this.#exceptions.has(workload)) this.#export();
  }

  #export(): void {
    const all = [...this.#exceptions.values()].flat();
    const countOpen = (type: LimitExceptionType): number =>
      all.filter((exception) => exception.state === 'open' && exception.type === type).length;
    for (const type of LIMIT_EXCEPTION_TYPES) this.#open.set(countOpen(type), { type });
    this.#applied.set(all.filter(({ overage }) => overage !== null && overage.returnedAt === null).length);
  }
}
