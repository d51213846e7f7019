import type { ApiTransport } from '#kube/api-transport';
import { isAllowed } from '../kubernetes/access/access-review.ts';

/** Usage sources that RBAC allows. */
export interface UsageAccess {
  /** `nodes/metrics`: the kubelets themselves. */
  readonly kubelet: boolean;
  /** `nodes/proxy`: the kubelets through the API server. */
  readonly proxy: boolean;
  /** metrics.k8s.io, which must also be installed. */
  readonly metricsServer: boolean;
}

/**
 * Checks by SelfSubjectAccessReviews which usage sources are allowed. Rejects when a review fails.
 * @param mayReadKubelets whether the credentials sent to kubelets may read them; default: those of `transport`
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

/** Whether the identity of `transport` may get `nodes/metrics`. Rejects when the review fails. */
export function mayReadNodeMetrics(transport: ApiTransport, signal: AbortSignal | undefined): Promise<boolean> {
  return isAllowed(transport, { verb: 'get', resource: 'nodes', subresource: 'metrics' }, signal);
}
