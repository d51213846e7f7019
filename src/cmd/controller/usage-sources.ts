import { EvidenceSource } from '../../adapters/kubelet/evidence-source.ts';
import { KubeletUsageSource } from '../../adapters/kubelet/kubelet-usage-source.ts';
import { ProxyKubeletFetcher } from '../../adapters/kubelet/kubelet-fetcher.ts';
import { TextPages } from '../../adapters/kubelet/text-pages.ts';
import { probeUsageAccess } from '../../adapters/kubelet/usage-access.ts';
import { MetricsServerUsageSource } from '../../adapters/metricsserver/metrics-server-usage-source.ts';
import type { DurationMs } from '../../core/model/units.ts';
import { workloadKey } from '../../core/model/workload.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { ContainerCounterSource, KubeletPages } from '../../ports/kubelet-pages.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { EvidenceSink, UsageSink, UsageSource } from '../../ports/usage-source.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { DecisionBook } from '../../state/decision-book.ts';
import type { UsageModel } from '../../state/usage-model.ts';
import type { ControllerWorld } from './world.ts';

/** What usage is read from. */
export interface UsageSources {
  readonly usage: UsageSource;
  /** null: they may not be read. */
  readonly kubelets: KubeletPages | null;
}

/** Usage and evidence, read side by side. */
export interface LiveUsage {
  readonly name: string;
  /** Why nothing reports throttling; null: something does. */
  readonly throttlingProblem: string | null;
  run(sink: UsageSink & EvidenceSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void>;
}

export interface LiveUsageParts {
  readonly sources: UsageSources;
  /** Where Prometheus is set it spares the kubelets the question. */
  readonly prometheus: ContainerCounterSource | null;
  readonly usage: Pick<UsageModel, 'containersOf'>;
  readonly decisions: Pick<DecisionBook, 'find'>;
  readonly cluster: ClusterReader;
  readonly world: Pick<ControllerWorld, 'clock' | 'timer' | 'activity'>;
  readonly metrics: Metrics;
}

export function liveUsage({ sources, prometheus, usage, decisions, cluster, world, metrics }: LiveUsageParts): LiveUsage {
  const { kubelets } = sources;
  const counters: ContainerCounterSource[] = prometheus === null ? [] : [prometheus];
  if (kubelets !== null) counters.push({ name: 'kubelet', containerCounters: (node, signal) => kubelets.containerCounters(node, signal) });
  const { clock, timer, activity } = world;
  const evidence = new EvidenceSource({
    sources: counters,
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
    name: sources.usage.name,
    throttlingProblem:
      counters.length > 0 ? null : 'kubelets may not be read (grant get on nodes/metrics and nodes/stats), and prometheus.url is not set',
    run: async (sink, intervalMs, signal) => {
      await Promise.all([sources.usage.run(sink, intervalMs, signal), evidence.run(sink, intervalMs, signal)]);
    },
  };
}

/** By which way usage is read: the kubelets directly, through the API server where that is asked for, metrics.k8s.io where neither is permitted. */
export async function chooseUsageSources(
  world: ControllerWorld,
  parts: { readonly settings: Settings; readonly reader: ClusterReader; readonly metrics: Metrics; readonly logger: Logger },
  signal: AbortSignal,
): Promise<UsageSources> {
  const { transport, clock, timer, activity } = world;
  const { settings, reader, metrics, logger } = parts;
  const viaProxy = settings['kubelet.viaProxy'];
  const pages = viaProxy ? new TextPages(new ProxyKubeletFetcher(transport)) : world.kubelets;
  const kubelets: UsageSources = { usage: new KubeletUsageSource({ pages, reader, clock, timer, activity, metrics }), kubelets: pages };
  try {
    const access = await probeUsageAccess(transport, signal);
    if (viaProxy ? access.proxy : access.kubelet) return kubelets;
    if (!access.metricsServer) {
      logger.warn('No way to read usage is permitted: grant get on nodes/metrics and nodes/stats', { access });
      return kubelets;
    }
    logger.warn('Reading kubelets is not permitted; using metrics.k8s.io, which knows no history and no volumes', { access });
    return { usage: new MetricsServerUsageSource({ transport, reader, clock, activity }), kubelets: null };
  } catch (err) {
    logger.warn('Asking which usage may be read failed; trying the kubelets', { err });
    return kubelets;
  }
}
