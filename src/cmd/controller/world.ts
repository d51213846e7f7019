import type { KubeletPages } from '#kube/kubelet/kubelet-pages';
import type { UsageHistorySource } from '../../ports/usage-source.ts';
import type { ProcessEnvironment } from '../process/process-world.ts';
import type { KubeletAccess } from './kubelet-access.ts';

/** What the controller stands on besides: the kubelets, and what remembers usage. */
export interface ControllerEnvironment extends ProcessEnvironment {
  /** Of each node: directly, or through the API server where that is asked for. */
  readonly kubelets: KubeletPages;
  /** Whose credentials they are sent, and whether those may read them. Left out: those of `transport`. */
  readonly kubeletAccess?: Pick<KubeletAccess, 'problem' | 'mayRead'>;
  /** What knows the past; null where nothing does. */
  readonly pastUsage: UsageHistorySource | null;
}
