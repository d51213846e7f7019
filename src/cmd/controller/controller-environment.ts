import type { KubeletPages } from '#kube/kubelet/kubelet-pages';
import type { Logger } from '../../ports/logger.ts';
import type { UsageHistorySource } from '../../ports/usage/usage-source.ts';
import type { PrometheusMetrics } from '../../runtime/metrics.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ProcessEnvironment } from '../process/process-environment.ts';
import type { KubeletAccess } from './usage/kubelet-access.ts';

/** The environment of a process, with the kubelets and past usage. */
export interface ControllerEnvironment extends ProcessEnvironment {
  /** Pages of each node's kubelet, read directly or through the API server. */
  readonly kubelets: KubeletPages;
  /** Whether kubelets may be read, and with whose credentials; absent where they are those of `transport`. */
  readonly kubeletAccess?: Pick<KubeletAccess, 'problem' | 'mayRead'>;
  /** Source of usage from before the start; null where there is none. */
  readonly pastUsage: UsageHistorySource | null;
}

export interface ControllerDependencies {
  readonly environment: ControllerEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  /** The registry of the whole process. */
  readonly metrics: PrometheusMetrics;
}
