// Records history for the graphs: each complete 5-minute point of each container, and one point for the cluster.

import { podRequests } from '#kube/records/pod-requests';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { NodeRecord } from '#kube/records/node';
import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { ClusterPoint, UsageRollupWriter } from '../../ports/usage/usage-rollups.ts';
import { addUsage, type UsageModel, type UsageTotal } from '../../state/usage/usage-model.ts';
import { inTurns } from './in-turns.ts';

const RECORD_EVERY_MS: DurationMs = 5 * MINUTE_MS;

export interface HistoryRecorderDependencies {
  readonly cluster: ClusterReader;
  readonly usage: Pick<UsageModel, 'graphs' | 'usedByPod'>;
  readonly rollups: UsageRollupWriter;
  readonly clock: Clock;
  /** The recommended requests of all replicas, part by part; none before the first recommendation. */
  readonly recommended: () => Iterable<Resources>;
  readonly costPerHourUsd: (node: NodeRecord) => number;
}

export class HistoryRecorder {
  readonly #dependencies: HistoryRecorderDependencies;
  #stopPoints: () => void = () => undefined;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(dependencies: HistoryRecorderDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#isStopped = false;
    const { usage, rollups } = this.#dependencies;
    this.#stopPoints = usage.graphs.onPoint((point) => rollups.appendUsage([point]));
    this.#schedulePoint();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopPoints();
    this.#cancel();
  }

  /** Points lie on a grid of five minutes, so that they stay aligned after a restart. */
  #schedulePoint(): void {
    const { clock } = this.#dependencies;
    const next = (Math.floor(clock.now() / RECORD_EVERY_MS) + 1) * RECORD_EVERY_MS;
    this.#cancel = clock.schedule(next, () => {
      void this.#recordCluster(next);
      this.#schedulePoint();
    });
  }

  async #recordCluster(at: Instant): Promise<void> {
    const { cluster, usage, recommended, costPerHourUsd, rollups } = this.#dependencies;
    let cost = 0;
    let provisioned = NO_RESOURCES;
    await inTurns(cluster.nodes(), (node) => {
      provisioned = addResources(provisioned, node.allocatable);
      cost += costPerHourUsd(node);
    });
    let requested = NO_RESOURCES;
    await inTurns(cluster.pods(), (pod) => {
      if (pod.phase !== 'Running' && pod.phase !== 'Pending') return;
      requested = addResources(
        requested,
        podRequests(pod, ({ requests }) => requests),
      );
    });
    let used: UsageTotal = { cpuMillicores: null, memoryBytes: null };
    await inTurns(usage.usedByPod(), (pod) => (used = addUsage(used, pod)));
    let wanted: Resources | null = null;
    await inTurns(recommended(), (requests) => (wanted = addResources(wanted ?? NO_RESOURCES, requests)));
    if (this.#isStopped) return;
    rollups.appendCluster(clusterPoint(at, { provisioned, requested, recommended: wanted, used, costPerHourUsd: cost }));
  }
}

interface ClusterSums {
  readonly provisioned: Resources;
  readonly requested: Resources;
  readonly recommended: Resources | null;
  readonly used: UsageTotal;
  readonly costPerHourUsd: number;
}

function clusterPoint(at: Instant, { provisioned, requested, recommended, used, costPerHourUsd }: ClusterSums): ClusterPoint {
  return {
    at,
    provisionedCpuMillicores: provisioned.cpuMillicores,
    provisionedMemoryBytes: provisioned.memoryBytes,
    requestedCpuMillicores: requested.cpuMillicores,
    requestedMemoryBytes: requested.memoryBytes,
    recommendedCpuMillicores: recommended?.cpuMillicores ?? null,
    recommendedMemoryBytes: recommended?.memoryBytes ?? null,
    usedCpuMillicores: used.cpuMillicores,
    usedMemoryBytes: used.memoryBytes,
    costPerHourUsd,
  };
}
