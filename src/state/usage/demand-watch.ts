// Usage of every container in the last minutes, for limit exceptions, and detection of memory near its limit.

import { DemandLog, WINDOW_MS, type ContainerDemand } from '../../core/resize/model/evidence/demand.ts';
import { ThrottledPods } from '../../core/resize/model/evidence/throttled-pods.ts';
import { pressingMemory } from '../../core/resize/layers/exceptions/pressure.ts';
import { MINUTE_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { CompactMap } from '#kube/compact-map';
import type { PodRecord } from '#kube/records/pod';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';
import type { WorkloadKey } from '#kube/records/workload';
import { isStarting } from '../../core/recommender/start-up.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { UsageModel } from './usage-model.ts';

interface ContainerWatch {
  readonly log: DemandLog;
  readonly throttled: ThrottledPods;
  notifiedAt: Instant;
  notifiedBytes: Bytes;
}

/** Minimum rise for another notification; constant memory near its limit is evaluated at the policy's interval. */
const RISING_RATIO: Ratio = 1.002;
const REPEAT_AFTER_MS: DurationMs = 10 * MINUTE_MS;

/** Dependencies of `DemandWatch`. */
export interface DemandWatchDependencies {
  readonly cluster: Pick<ClusterReader, 'findWorkload' | 'subscribe'>;
  readonly usage: Pick<UsageModel, 'onSample'>;
  /** Called when a container's memory rises near its limit, at most once a minute for each container. Must not block. */
  readonly onPressure: (workload: WorkloadKey) => void;
}

/** Keeps the demand of all containers by the samples of the usage model. */
export class DemandWatch {
  readonly #dependencies: DemandWatchDependencies;
  readonly #watched = new Map<WorkloadKey, CompactMap<ContainerWatch>>();
  readonly #unsubscribes: readonly (() => void)[];

  constructor(dependencies: DemandWatchDependencies) {
    this.#dependencies = dependencies;
    this.#unsubscribes = [
      dependencies.usage.onSample((workload, container, pod, sample) => this.#take(workload, container, pod, sample)),
      dependencies.cluster.subscribe((change) => {
        if (change.kind === 'workload' && dependencies.cluster.findWorkload(change.key) === undefined) this.#watched.delete(change.key);
      }),
    ];
  }

  /** Demand by container; empty: no samples. */
  of(workload: WorkloadKey): readonly ContainerDemand[] {
    return Array.from(this.#watched.get(workload)?.entries() ?? [], ([container, { log, throttled }]) => ({
      container,
      windows: log.windows(),
      memorySteadySince: log.memorySteadySince,
      hot: log.hot.list(),
      othersCpu: log.hot.othersCpu,
      throttled: throttled.list(),
      throttlingMeasuredAt: throttled.measuredAt,
    }));
  }

  close(): void {
    for (const stop of this.#unsubscribes) stop();
  }

  // Usage of the start-up is excluded.
  #take(workload: WorkloadKey, container: string, pod: PodRecord, sample: UsageSample): void {
    const { cluster } = this.#dependencies;
    // Pods without a watched workload (bare pods, pipelines) are ignored: they have no decision, and no event reports their end.
    if (cluster.findWorkload(workload) === undefined) return;
    if (isStarting(pod, container, nodeTimeOf(sample))) return;
    const watched = this.#of(workload, container);
    watched.log.observe(pod.name, sample);
    watched.throttled.observe(pod.name, sample);
    const limit = pod.containers.find(({ name }) => name === container)?.limits.memoryBytes ?? null;
    const pressing = pressingMemory(sample, limit);
    if (pressing === null || sample.at - watched.notifiedAt < WINDOW_MS) return;
    if (pressing < watched.notifiedBytes * RISING_RATIO && sample.at - watched.notifiedAt < REPEAT_AFTER_MS) return;
    watched.notifiedAt = sample.at;
    watched.notifiedBytes = pressing;
    this.#dependencies.onPressure(workload);
  }

  #of(workload: WorkloadKey, container: string): ContainerWatch {
    let byContainer = this.#watched.get(workload);
    if (byContainer === undefined) this.#watched.set(workload, (byContainer = new CompactMap<ContainerWatch>()));
    let watched = byContainer.get(container);
    if (watched === undefined)
      byContainer.set(
        container,
        (watched = { log: new DemandLog(), throttled: new ThrottledPods(), notifiedAt: Number.NEGATIVE_INFINITY, notifiedBytes: 0 }),
      );
    return watched;
  }
}
