import { KubeletUsageSource } from '../../adapters/kubelet/kubelet-usage-source.ts';
import { ProxyKubeletFetcher } from '../../adapters/kubelet/kubelet-fetcher.ts';
import { TextPages } from '../../adapters/kubelet/text-pages.ts';
import { probeUsageAccess } from '../../adapters/kubelet/usage-access.ts';
import { MetricsServerUsageSource } from '../../adapters/metricsserver/metrics-server-usage-source.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { UsageSource } from '../../ports/usage-source.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ControllerWorld } from './world.ts';

/** By which way usage is read: the kubelets directly, through the API server where that is asked for, metrics.k8s.io where neither is permitted. */
export async function chooseUsageSource(
  world: ControllerWorld,
  parts: { readonly settings: Settings; readonly reader: ClusterReader; readonly metrics: Metrics; readonly logger: Logger },
  signal: AbortSignal,
): Promise<UsageSource> {
  const { transport, clock, timer, activity } = world;
  const { settings, reader, metrics, logger } = parts;
  const viaProxy = settings['kubelet.viaProxy'];
  const pages = viaProxy ? new TextPages(new ProxyKubeletFetcher(transport)) : world.kubelets;
  const kubelets = new KubeletUsageSource({ pages, reader, clock, timer, activity, metrics });
  try {
    const access = await probeUsageAccess(transport, signal);
    if (viaProxy ? access.proxy : access.kubelet) return kubelets;
    if (!access.metricsServer) {
      logger.warn('No way to read usage is permitted: grant get on nodes/metrics and nodes/stats', { access });
      return kubelets;
    }
    logger.warn('Reading kubelets is not permitted; using metrics.k8s.io, which knows no history and no volumes', { access });
    return new MetricsServerUsageSource({ transport, reader, clock, activity });
  } catch (err) {
    logger.warn('Asking which usage may be read failed; trying the kubelets', { err });
    return kubelets;
  }
}
