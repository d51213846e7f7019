// What every container used in the last minutes, for limit exceptions; and who is near a limit right now.

import { DemandLog, WINDOW_MS, type ContainerDemand } from '../core/resize/model/demand.ts';
import { ThrottledPods } from '../core/resize/model/throttled-pods.ts';
import { pressingMemory } from '../core/resize/layers/exceptions/pressure.ts';
import { MINUTE_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { PodRecord } from '#kube/records/pod';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';
import type { WorkloadKey } from '#kube/records/workload';
import { isStarting } from '../core/recommender/start-up.ts';
import type { ClusterReader } from '../ports/cluster-reader.ts';
import type { UsageModel } from './usage-model.ts';

interface Watched {
  readonly log: DemandLog;
  readonly throttled: ThrottledPods;
  notifiedAt: Instant;
  notifiedBytes: Bytes;
}

/** Memory that stands still near its limit is looked at by the policy's interval; this is for what rises. */
const RISING_RATIO: Ratio = 1.002;
const FORGOTTEN_MS: DurationMs = 10 * MINUTE_MS;

export interface DemandWatchDependencies {
  readonly cluster: Pick<ClusterReader, 'findWorkload' | 'subscribe'>;
  readonly usage: Pick<UsageModel, 'onSample'>;
  /** A container's memory comes near its limit and rises; told at most once a minute for each. It must be quick. */
  readonly onPressure: (workload: WorkloadKey) => void;
}

export class DemandWatch {
  readonly #dependencies: DemandWatchDependencies;
  readonly #watched = new Map<WorkloadKey, Map<string, Watched>>();
  readonly #stops: readonly (() => void)[];

  constructor(dependencies: DemandWatchDependencies) {
    this.#dependencies = dependencies;
    this.#stops = [
      dependencies.usage.onSample((workload, container, pod, sample) => this.#take(workload, container, pod, sample)),
      dependencies.cluster.subscribe((change) => {
        if (change.kind === 'workload' && dependencies.cluster.findWorkload(change.key) === undefined) this.#watched.delete(change.key);
      }),
    ];
  }

  /** By container; empty where nothing was seen. */
  of(workload: WorkloadKey): readonly ContainerDemand[] {
    return [...(this.#watched.get(workload) ?? [])].map(([container, { log, throttled }]) => ({
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
    for (const stop of this.#stops) stop();
  }

  // What a container uses to start says nothing about what it needs to run.
  #take(workload: WorkloadKey, container: string, pod: PodRecord, sample: UsageSample): void {
    const { cluster } = this.#dependencies;
    // Of what is no workload (bare pods, those of a pipeline) there is nothing to decide, and nobody tells when it is gone.
    if (cluster.findWorkload(workload) === undefined) return;
    if (isStarting(pod, container, nodeTimeOf(sample))) return;
    const watched = this.#of(workload, container);
    watched.log.observe(pod.name, sample);
    watched.throttled.observe(pod.name, sample);
    const limit = pod.containers.find(({ name }) => name === container)?.limits.memoryBytes ?? null;
    const pressing = pressingMemory(sample, limit);
    if (pressing === null || sample.at - watched.notifiedAt < WINDOW_MS) return;
    if (pressing < watched.notifiedBytes * RISING_RATIO && sample.at - watched.notifiedAt < FORGOTTEN_MS) return;
    watched.notifiedAt = sample.at;
    watched.notifiedBytes = pressing;
    this.#dependencies.onPressure(workload);
  }

  #of(workload: WorkloadKey, container: string): Watched {
    let byContainer = this.#watched.get(workload);
    if (byContainer === undefined) this.#watched.set(workload, (byContainer = new Map<string, Watched>()));
    let watched = byContainer.get(container);
    if (watched === undefined)
      byContainer.set(
        container,
        (watched = { log: new DemandLog(), throttled: new ThrottledPods(), notifiedAt: Number.NEGATIVE_INFINITY, notifiedBytes: 0 }),
      );
    return watched;
  }
}
