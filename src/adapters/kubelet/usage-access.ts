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

/** Asks the API server what we may do. Rejects when it does not say. */
export async function probeUsageAccess(transport: ApiTransport, signal: AbortSignal): Promise<UsageAccess> {
  const allowed = async (attributes: object): Promise<boolean> => {
    const response = await transport.request({
      method: 'POST',
      path: collectionPath(ACCESS_REVIEWS, null),
      body: { apiVersion: apiVersionOf(ACCESS_REVIEWS), kind: ACCESS_REVIEWS.kind, spec: { resourceAttributes: attributes } },
      signal,
    });
    const failure = failureOf(response);
    if (failure !== null) throw new ApiFault('asking which usage may be read', failure);
    return booleanAt(objectAt(asObject(response.body, 'access review'), 'status'), 'allowed');
  };
  const [kubelet, proxy, metricsServer] = await Promise.all([
    allowed({ verb: 'get', resource: 'nodes', subresource: 'metrics' }),
    allowed({ verb: 'get', resource: 'nodes', subresource: 'proxy' }),
    allowed({ verb: 'list', group: 'metrics.k8s.io', resource: 'pods' }),
  ]);
  return { kubelet, proxy, metricsServer };
}
