import type { OptionalResources } from '#kube/records/resources';
import { parseWorkloadKey, type WorkloadKey } from '#kube/records/workload';
import type { ContainerPlan } from '../../../core/resize/model/container-plan.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Gauge, Labels, Metrics } from '../../../ports/metrics.ts';

/** Requests of a container: recommended, null without a recommendation, and those of most pods. */
interface ContainerRequests {
  readonly container: string;
  readonly recommended: OptionalResources | null;
  readonly requested: OptionalResources;
}

/** The gauges of one meaning: CPU and memory. */
interface RequestGauges {
  readonly cpu: Gauge;
  readonly memory: Gauge;
}

const LABELS = ['namespace', 'kind', 'name', 'container'];
const MILLICORES_PER_CORE = 1000;

/**
 * Exports the recommended and the current requests of each container, for at most `maxWorkloads` workloads: each container is four
 * series. The first workloads by namespace, kind and name are exported. That choice does not depend on values, so that a series does
 * not end and begin again whenever savings change, and every leader exports the same workloads.
 */
export class WorkloadMetrics {
  readonly #maxWorkloads: number;
  readonly #logger: Logger;
  readonly #recommended: RequestGauges;
  readonly #requested: RequestGauges;
  readonly #omitted: Gauge;
  readonly #requests = new Map<WorkloadKey, readonly ContainerRequests[]>();
  /** Keys of `#requests`, sorted: the first `#maxWorkloads` are exported. */
  readonly #sorted: WorkloadKey[] = [];
  #isBoundLogged = false;

  constructor(metrics: Metrics, maxWorkloads: number, logger: Logger) {
    this.#maxWorkloads = maxWorkloads;
    this.#logger = logger;
    this.#recommended = {
      cpu: metrics.gauge({
        name: 'evenkeel_workload_recommended_cpu_cores',
        help: 'Recommended CPU request of a container, in cores.',
        labels: LABELS,
      }),
      memory: metrics.gauge({
        name: 'evenkeel_workload_recommended_memory_bytes',
        help: 'Recommended memory request of a container, in bytes.',
        labels: LABELS,
      }),
    };
    this.#requested = {
      cpu: metrics.gauge({
        name: 'evenkeel_workload_requested_cpu_cores',
        help: 'CPU request of a container in most pods of the workload, in cores.',
        labels: LABELS,
      }),
      memory: metrics.gauge({
        name: 'evenkeel_workload_requested_memory_bytes',
        help: 'Memory request of a container in most pods of the workload, in bytes.',
        labels: LABELS,
      }),
    };
    this.#omitted = metrics.gauge({
      name: 'evenkeel_workloads_without_metrics',
      help: 'Workloads whose requests are not exported, because there are more than metrics.maxWorkloads.',
    });
    this.reset();
  }

  /** Clears every series. Called at start and when leadership ends: two replicas that export them would double every sum. */
  reset(): void {
    for (const key of this.#sorted.slice(0, this.#maxWorkloads)) this.#remove(key);
    this.#sorted.length = 0;
    this.#requests.clear();
    this.#omitted.set(0);
  }

  /** Sets the containers of a workload; null where it has no Recommendation. */
  setWorkload(key: WorkloadKey, containers: readonly Pick<ContainerPlan, 'name' | 'current' | 'target'>[] | null): void {
    if (this.#maxWorkloads === 0) return;
    if (containers === null) this.#forget(key);
    else this.#record(key, containers.map(requestsOf));
    this.#reportOmitted();
  }

  #record(key: WorkloadKey, requests: readonly ContainerRequests[]): void {
    const isNew = !this.#requests.has(key);
    const index = this.#indexOf(key);
    if (isNew) {
      const displaced = this.#sorted[this.#maxWorkloads - 1];
      this.#sorted.splice(index, 0, key);
      if (index < this.#maxWorkloads && displaced !== undefined) this.#remove(displaced);
    } else if (index < this.#maxWorkloads) {
      this.#remove(key);
    }
    this.#requests.set(key, requests);
    if (index < this.#maxWorkloads) this.#export(key);
  }

  #forget(key: WorkloadKey): void {
    if (!this.#requests.has(key)) return;
    const index = this.#indexOf(key);
    if (index < this.#maxWorkloads) this.#remove(key);
    this.#sorted.splice(index, 1);
    this.#requests.delete(key);
    const next = this.#sorted[this.#maxWorkloads - 1];
    if (index < this.#maxWorkloads && next !== undefined) this.#export(next);
  }

  #export(key: WorkloadKey): void {
    for (const { container, recommended, requested } of this.#requests.get(key) ?? []) {
      const labels = labelsOf(key, container);
      setGauges(this.#recommended, recommended, labels);
      setGauges(this.#requested, requested, labels);
    }
  }

  #remove(key: WorkloadKey): void {
    for (const { container } of this.#requests.get(key) ?? []) {
      const labels = labelsOf(key, container);
      for (const { cpu, memory } of [this.#recommended, this.#requested]) {
        cpu.remove(labels);
        memory.remove(labels);
      }
    }
  }

  /** Index of a key in `#sorted`, or the one at which it is inserted. */
  #indexOf(key: WorkloadKey): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #reportOmitted(): void {
    const omitted = Math.max(0, this.#sorted.length - this.#maxWorkloads);
    this.#omitted.set(omitted);
    if (omitted === 0 || this.#isBoundLogged) return;
    this.#isBoundLogged = true;
    this.#logger.warn('More workloads than metrics.maxWorkloads: the requests of the others, in order of their names, are not exported', {
      maxWorkloads: this.#maxWorkloads,
    });
  }
}

function requestsOf({ name, current, target }: Pick<ContainerPlan, 'name' | 'current' | 'target'>): ContainerRequests {
  return { container: name, recommended: target?.requests ?? null, requested: current.requests };
}

function labelsOf(key: WorkloadKey, container: string): Labels {
  const { namespace, kind, name } = parseWorkloadKey(key);
  return { namespace, kind, name, container };
}

/** Unknown amounts are not exported. */
function setGauges({ cpu, memory }: RequestGauges, amounts: OptionalResources | null, labels: Labels): void {
  if (amounts === null) return;
  if (amounts.cpuMillicores !== null) cpu.set(amounts.cpuMillicores / MILLICORES_PER_CORE, labels);
  if (amounts.memoryBytes !== null) memory.set(amounts.memoryBytes, labels);
}
