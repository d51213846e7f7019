import type { ApiTransport } from '#kube/api-transport';
import { isAllowed } from '../kubernetes/access-review.ts';

/** By which ways usage may be read. */
export interface UsageAccess {
  /** `nodes/metrics`: the kubelets themselves. */
  readonly kubelet: boolean;
  /** `nodes/proxy`: the kubelets through the API server. */
  readonly proxy: boolean;
  /** metrics.k8s.io, which also has to be installed. */
  readonly metricsServer: boolean;
}

/**
 * Asks the API server what we may do. Rejects when it does not say.
 *
 * @param mayReadKubelets whether whose credentials kubelets are sent may read them; left out: ours are sent
 */
export async function probeUsageAccess(
  transport: ApiTransport,
  signal: AbortSignal,
  mayReadKubelets: (signal: AbortSignal) => Promise<boolean> = () => mayReadNodeMetrics(transport, signal),
): Promise<UsageAccess> {
  const [kubelet, proxy, metricsServer] = await Promise.all([
    mayReadKubelets(signal),
    isAllowed(transport, { verb: 'get', resource: 'nodes', subresource: 'proxy' }, signal),
    isAllowed(transport, { verb: 'list', group: 'metrics.k8s.io', resource: 'pods' }, signal),
  ]);
  return { kubelet, proxy, metricsServer };
}

/** Whether who asks over this transport may get `nodes/metrics`. Rejects when the API server does not say. */
export function mayReadNodeMetrics(transport: ApiTransport, signal: AbortSignal | undefined): Promise<boolean> {
  return isAllowed(transport, { verb: 'get', resource: 'nodes', subresource: 'metrics' }, signal);
}
