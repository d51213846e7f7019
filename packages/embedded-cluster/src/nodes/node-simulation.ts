import type { Resources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { Clock } from '../ports/clock.ts';
import type { ClusterAccess } from '../api/cluster-access.ts';
import type { ApiProviders } from '../api/providers.ts';
import type { DealtRecording } from '../usage/deal-recordings.ts';
import type { RecordingLibrary } from '../usage/recording-files.ts';
import { ArchiveUsageHistorySource } from '../usage/usage-archive.ts';
import { UsagePlan } from '../usage/usage-plan.ts';
import { requestsByNode, summarizeCluster, type ClusterSummary } from './cluster-summary.ts';
import { ContainerLogProvider } from './endpoints/container-log-provider.ts';
import { KubeletDirect } from './endpoints/kubelet-direct.ts';
import { KubeletEndpoints } from './endpoints/kubelet-endpoints.ts';
import { Kubelets } from './kubelet/kubelets.ts';
import { NodeUsageMetrics } from './endpoints/node-usage-metrics.ts';
import type { ClusterCounters, ContainerTally } from './simulator-counters.ts';
import { templateContainers } from './load/template-containers.ts';

export interface NodeSimulationOptions {
  /** Access of the kubelets to the cluster. */
  readonly cluster: ClusterAccess;
  readonly clock: Clock;
  readonly seed: number;
  /** Start of the cluster: the time of the first row of every recording. */
  readonly epoch: Instant;
  readonly recordings?: RecordingLibrary;
}

/** Simulation of nodes: kubelets, usage, their endpoints and totals. */
export class NodeSimulation {
  readonly kubelets: Kubelets;
  /** For the API server: metrics.k8s.io, logs and the node proxy. */
  readonly providers: ApiProviders;
  /** Source of `kubectl top` and autoscalers. */
  readonly metrics: NodeUsageMetrics;
  /** Pages of the kubelets. */
  readonly endpoints: KubeletEndpoints;
  /** For a controller in the same process. */
  readonly direct: KubeletDirect;
  /** Usage history, as from Prometheus. */
  readonly history: ArchiveUsageHistorySource;
  readonly plan: UsagePlan;
  readonly #cluster: ClusterAccess;

  constructor(options: NodeSimulationOptions) {
    const { cluster, clock, seed, epoch, recordings } = options;
    this.#cluster = cluster;
    this.plan = new UsagePlan({ seed, epoch, ...(recordings === undefined ? {} : { recordings }) });
    this.kubelets = new Kubelets({ cluster, clock, seed, plan: this.plan });
    const endpoints = new KubeletEndpoints(this.kubelets, clock);
    this.endpoints = endpoints;
    this.metrics = new NodeUsageMetrics(this.kubelets, cluster, clock);
    this.providers = {
      metrics: this.metrics,
      logs: new ContainerLogProvider(this.kubelets.logs, clock),
      kubelets: endpoints,
    };
    this.direct = new KubeletDirect(endpoints);
    this.history = new ArchiveUsageHistorySource(this.kubelets.archive);
  }

  /**
   * Assigns the recordings to the containers of the current workloads. Call it after the manifests are applied and before the clock runs.
   * Throws RecordingError for an invalid file. Returns the assignment.
   */
  dealRecordings(): readonly DealtRecording[] {
    return this.plan.deal(templateContainers(this.#cluster));
  }

  /** Starts to watch nodes and pods. Returns the stop function. */
  start(): () => void {
    return this.kubelets.start();
  }

  summary(): ClusterSummary {
    return summarizeCluster(this.#cluster, this.kubelets);
  }

  /** Requests in force of all pods that have not ended, by node; the empty name: not scheduled. */
  requestsByNode(): ReadonlyMap<string, Resources> {
    return requestsByNode(this.#cluster);
  }

  /** A copy, to be compared with a later reading. */
  counters(): ClusterCounters {
    return { ...this.kubelets.counters };
  }

  /** Counters by container of each workload. */
  tallies(): readonly ContainerTally[] {
    return this.kubelets.tallies.read();
  }
}
