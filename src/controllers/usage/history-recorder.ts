// Records history for the graphs: each complete 5-minute point of each container, and one point for the cluster.

import { podRequests } from '#kube/records/pod-requests';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { ClusterPoint, UsageRollupWriter } from '../../ports/usage/usage-rollups.ts';
import type { UsageModel } from '../../state/usage/usage-model.ts';

const RECORD_EVERY_MS: DurationMs = 5 * MINUTE_MS;

export interface HistoryRecorderDependencies {
  readonly cluster: ClusterReader;
  readonly usage: UsageModel;
  readonly rollups: UsageRollupWriter;
  readonly clock: Clock;
  /** Sum of the recommended requests of all pods; null before the first recommendation. */
  readonly recommended: () => Resources | null;
  readonly costPerHourUsd: () => number | null;
}

export class HistoryRecorder {
  readonly #dependencies: HistoryRecorderDependencies;
  #stopPoints: () => void = () => undefined;
  #cancel: () => void = () => undefined;

  constructor(dependencies: HistoryRecorderDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    const { usage, rollups } = this.#dependencies;
    this.#stopPoints = usage.graphs.onPoint((point) => rollups.appendUsage([point]));
    this.#schedulePoint();
  }

  stop(): void {
    this.#stopPoints();
    this.#cancel();
  }

  /** Points lie on a grid of five minutes, so that they stay aligned after a restart. */
  #schedulePoint(): void {
    const { clock, rollups } = this.#dependencies;
    const next = (Math.floor(clock.now() / RECORD_EVERY_MS) + 1) * RECORD_EVERY_MS;
    this.#cancel = clock.schedule(next, () => {
      rollups.appendCluster(this.#clusterPoint());
      this.#schedulePoint();
    });
  }

  #clusterPoint(): ClusterPoint {
    const { clock, cluster, usage, recommended, costPerHourUsd } = this.#dependencies;
    let provisioned = NO_RESOURCES;
    for (const node of cluster.nodes()) provisioned = addResources(provisioned, node.allocatable);
    let requested = NO_RESOURCES;
    for (const pod of cluster.pods()) {
      if (pod.phase !== 'Running' && pod.phase !== 'Pending') continue;
      requested = addResources(
        requested,
        podRequests(pod, ({ requests }) => requests),
      );
    }
    const used = usage.used();
    const recommendedTotal = recommended();
    return {
      at: clock.now(),
      provisionedCpuMillicores: provisioned.cpuMillicores,
      provisionedMemoryBytes: provisioned.memoryBytes,
      requestedCpuMillicores: requested.cpuMillicores,
      requestedMemoryBytes: requested.memoryBytes,
      recommendedCpuMillicores: recommendedTotal?.cpuMillicores ?? null,
      recommendedMemoryBytes: recommendedTotal?.memoryBytes ?? null,
      usedCpuMillicores: used.cpuMillicores,
      usedMemoryBytes: used.memoryBytes,
      costPerHourUsd: costPerHourUsd(),
    };
  }
}
