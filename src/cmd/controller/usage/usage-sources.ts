import { EvidenceSource } from '../../../adapters/kubelet/evidence-source.ts';
import { FallbackUsageSource } from '../../../adapters/kubelet/fallback-usage-source.ts';
import { pageBounds } from '../../../adapters/kubelet/pages/page-bounds.ts';
import { KubeletUsageSource } from '../../../adapters/kubelet/kubelet-usage-source.ts';
import { probeUsageAccess } from '../../../adapters/kubelet/usage-access.ts';
import { KUBELET_READER } from '../../../adapters/kubernetes/access/permissions.ts';
import { MetricsServerUsageSource } from '../../../adapters/metricsserver/metrics-server-usage-source.ts';
import type { DurationMs } from '#kube/units';
import { workloadKey } from '#kube/records/workload';
import type { ClusterReader } from '../../../ports/cluster/cluster-reader.ts';
import type { ContainerCounterSource, KubeletPages } from '#kube/kubelet/kubelet-pages';
import type { Logger } from '../../../ports/logger.ts';
import type { Metrics } from '../../../ports/metrics.ts';
import type { EvidenceSink, UsageSink, UsageSource, UsageSourceStatus } from '../../../ports/usage/usage-source.ts';
import type { Settings } from '../../../runtime/options/settings-schema.ts';
import type { DecisionCache } from '../../../state/decision-cache.ts';
import type { UsageModel } from '../../../state/usage/usage-model.ts';
import type { ControllerEnvironment } from '../controller-environment.ts';

/** The chosen source of usage. */
export interface UsageSources {
  readonly usage: UsageSource;
  /** null where kubelets may not be read. */
  readonly kubelets: KubeletPages | null;
  /** Falls back where kubelets' certificates are not trusted; null where they are not verified. */
  readonly fallback: Pick<FallbackUsageSource, 'problem' | 'kubeletProblem'> | null;
}

/** Reads usage and evidence (throttling, pressure, OOM kills) in parallel. */
export interface LiveUsage {
  readonly status: () => UsageSourceStatus;
  run(sink: UsageSink & EvidenceSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void>;
}

export interface LiveUsageDependencies {
  readonly sources: UsageSources;
  /** Preferred to the kubelets where Prometheus is configured. */
  readonly prometheus: ContainerCounterSource | null;
  /** Why Prometheus is not used; null where it is or none is configured. */
  readonly prometheusProblem: () => string | null;
  readonly usage: Pick<UsageModel, 'containersOf'>;
  readonly decisions: Pick<DecisionCache, 'find'>;
  readonly cluster: ClusterReader;
  readonly environment: Pick<ControllerEnvironment, 'clock' | 'timer' | 'activity' | 'kubeletAccess'>;
  readonly metrics: Metrics;
}

export function createLiveUsage({
  sources,
  prometheus,
  prometheusProblem,
  usage,
  decisions,
  cluster,
  environment,
  metrics,
}: LiveUsageDependencies): LiveUsage {
  const { kubelets, fallback } = sources;
  const ofKubelets: readonly ContainerCounterSource[] =
    kubelets === null
      ? []
      : [
          {
            name: 'kubelet',
            containerCounters: (node, signal) =>
              kubelets.containerCounters(node, signal, pageBounds('counters', cluster.podsOnNode(node.name))),
          },
        ];
  const kubeletProblem = (): string | null =>
    kubelets === null
      ? `kubelets may not be read (grant get on nodes/metrics and nodes/stats to ServiceAccount ${KUBELET_READER})`
      : (fallback?.kubeletProblem() ?? null);
  const { clock, timer, activity } = environment;
  const evidence = new EvidenceSource({
    sources: () => [...(prometheus === null ? [] : [prometheus]), ...(kubeletProblem() === null ? ofKubelets : [])],
    reader: cluster,
    cpuOf: ({ namespace, name }, container) => usage.containersOf(namespace, name).get(container)?.cpuMillicores ?? null,
    isVerified: (pod) => {
      const workload = cluster.workloadOf(pod);
      return workload !== undefined && decisions.find(workloadKey(workload))?.status.apply !== undefined;
    },
    clock,
    timer,
    activity,
    metrics,
  });
  return {
    status: () => {
      const unread = kubeletProblem();
      const unanswered = prometheus === null ? 'prometheus.url is not set' : prometheusProblem();
      return {
        name: sources.usage.name,
        problem: fallback?.problem() ?? environment.kubeletAccess?.problem() ?? null,
        kubeletProblem: unread,
        throttlingProblem: unread === null || unanswered === null ? null : `${unread}, and ${unanswered}`,
      };
    },
    run: async (sink, intervalMs, signal) => {
      await Promise.all([sources.usage.run(sink, intervalMs, signal), evidence.run(sink, intervalMs, signal)]);
    },
  };
}

/**
 * Chooses the source of usage: the kubelets directly, with metrics.k8s.io while most of their certificates are not trusted; the kubelets
 * through the API server where kubelet.viaProxy is set; metrics.k8s.io where neither is permitted.
 */
export async function chooseUsageSources(
  environment: ControllerEnvironment,
  dependencies: { readonly settings: Settings; readonly reader: ClusterReader; readonly metrics: Metrics; readonly logger: Logger },
  signal: AbortSignal,
): Promise<UsageSources> {
  const { transport, clock, timer, activity } = environment;
  const { settings, reader, metrics, logger } = dependencies;
  const viaProxy = settings['kubelet.viaProxy'];
  const { kubelets: pages } = environment;
  const report = sourceGauge(metrics);
  const ofKubelets = new KubeletUsageSource({ pages, reader, clock, timer, activity, metrics });
  const ofMetricsServer = new MetricsServerUsageSource({ transport, reader, clock, activity });
  // The API server does not verify kubelets' certificates by default.
  const fallback = viaProxy
    ? null
    : new FallbackUsageSource({ kubelets: ofKubelets, fallback: ofMetricsServer, reader, clock, activity, logger, onSource: report });
  const kubelets: UsageSources = { usage: fallback ?? reported(ofKubelets, report), kubelets: pages, fallback };
  try {
    const access = await probeUsageAccess(transport, signal, environment.kubeletAccess?.mayRead);
    if (viaProxy ? access.proxy : access.kubelet) return kubelets;
    if (!access.metricsServer) {
      logger.warn(`Reading usage is not permitted; grant get on nodes/metrics and nodes/stats to ServiceAccount ${KUBELET_READER}`, {
        access,
      });
      return kubelets;
    }
    logger.warn('Reading kubelets is not permitted; using metrics.k8s.io, which has no volumes, throttling or pressure', { access });
    return { usage: reported(ofMetricsServer, report), kubelets: null, fallback: null };
  } catch (err) {
    logger.warn('Access review of usage sources failed; reading the kubelets', { err });
    return kubelets;
  }
}

/** Exports the source in use; null where none is. */
function sourceGauge(metrics: Metrics): (source: string | null) => void {
  const gauge = metrics.gauge({
    name: 'evenkeel_usage_source',
    help: 'Always 1, with the usage source as its label: kubelet, metrics.k8s.io. Exported by replicas that read usage.',
    labels: ['source'],
  });
  let current: string | null = null;
  return (source) => {
    if (current !== null) gauge.remove({ source: current });
    if (source !== null) gauge.set(1, { source });
    current = source;
  };
}

/** Reports a source as in use while it runs. */
function reported(source: UsageSource, report: (source: string | null) => void): UsageSource {
  return {
    name: source.name,
    run: async (sink, intervalMs, signal) => {
      report(source.name);
      await source.run(sink, intervalMs, signal);
      report(null);
    },
  };
}
