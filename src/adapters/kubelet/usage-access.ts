import type { ApiTransport } from '../../ports/api-transport.ts';
import { ACCESS_REVIEWS, apiVersionOf, collectionPath } from '../kubernetes/resources.ts';
import { ApiFault, failureOf } from '../kubernetes/status.ts';
import { asObject, booleanAt, objectAt } from '../kubernetes/wire.ts';

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

/** @param attributes as of a SelfSubjectAccessReview */
export async function isAllowed(transport: ApiTransport, attributes: object, signal: AbortSignal | undefined): Promise<boolean> {
  const response = await transport.request({
    method: 'POST',
    path: collectionPath(ACCESS_REVIEWS, null),
    body: { apiVersion: apiVersionOf(ACCESS_REVIEWS), kind: ACCESS_REVIEWS.kind, spec: { resourceAttributes: attributes } },
    ...(signal === undefined ? {} : { signal }),
  });
  const failure = failureOf(response);
  if (failure !== null) throw new ApiFault('asking which usage may be read', failure);
  return booleanAt(objectAt(asObject(response.body, 'access review'), 'status'), 'allowed');
}
