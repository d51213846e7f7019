// The credentials that kubelets get. A compromised node could use the controller's own token to resize every pod of the cluster, so
// kubelets get a token of a ServiceAccount that may only read nodes' metrics, where one is available.

import { type KubeletToken, explainRefusal } from '../../../adapters/kubelet/kubelet-token.ts';
import { mayReadNodeMetrics } from '../../../adapters/kubelet/usage-access.ts';
import { isAllowed } from '../../../adapters/kubernetes/access/access-review.ts';
import type { KubeConnection } from '../../../adapters/kubernetes/transport/connection.ts';
import { KUBELET_READER } from '../../../adapters/kubernetes/access/permissions.ts';
import type { ApiTransport } from '#kube/api-transport';
import type { Logger } from '../../../ports/logger.ts';

/** The connection to kubelets, and whether they may be read. */
export interface KubeletAccess {
  readonly connection: KubeConnection;
  /** A problem of the access with its remedy; null where there is none. */
  readonly problem: () => string | null;
  /**
   * Whether the credentials may get `nodes/metrics`.
   * @throws when the API server does not respond
   */
  readonly mayRead: (signal: AbortSignal) => Promise<boolean>;
}

export interface KubeletAccessDependencies {
  /** The controller's transport. */
  readonly transport: ApiTransport;
  readonly connection: KubeConnection;
  readonly token: KubeletToken;
  /** Opens a transport with the token's credentials. */
  readonly transportOf: (connection: KubeConnection) => ApiTransport;
  /** Evenkeel's namespace. */
  readonly namespace: string;
  readonly inPod: boolean;
  /** Whether kubelets are read through the API server, which needs no token. */
  readonly viaProxy: boolean;
  readonly logger: Logger;
}

/**
 * In a pod, kubelets get only the token. Outside a pod, where a user tries Evenkeel with a kubeconfig, they get the credentials of the
 * kubeconfig where the token is refused, and health reports it.
 */
export async function kubeletAccess(dependencies: KubeletAccessDependencies, signal?: AbortSignal): Promise<KubeletAccess> {
  const { transport, connection, token, transportOf, inPod, viaProxy, logger } = dependencies;
  const { ca, serverName, verify } = connection.tls;
  // Without the client certificate of the connection, which kubelets would get as well.
  const tls = { verify, ...(ca === undefined ? {} : { ca }), ...(serverName === undefined ? {} : { serverName }) };
  const readerConnection: KubeConnection = { server: connection.server, tls, headers: (ask) => token.headers(ask) };
  if (viaProxy) return { connection: readerConnection, problem: () => null, mayRead: () => Promise.resolve(false) };
  const refusal = await findTokenRefusal(dependencies, signal);
  if (refusal === null) {
    const readerTransport = transportOf(readerConnection);
    return {
      connection: readerConnection,
      problem: () => token.refusal(),
      mayRead: (readSignal) => mayReadNodeMetrics(readerTransport, readSignal),
    };
  }
  if (inPod) {
    logger.warn('Kubelets cannot be read', { problem: refusal });
    return { connection: readerConnection, problem: () => refusal, mayRead: () => Promise.resolve(false) };
  }
  const problem = `the credentials of the kubeconfig are sent to each kubelet: ${refusal}`;
  logger.warn('Kubelets are sent the credentials of the kubeconfig', { problem: refusal });
  return { connection, problem: () => problem, mayRead: (readSignal) => mayReadNodeMetrics(transport, readSignal) };
}

/** Why the token is refused; null where it is available or the API server does not respond. Reviews the access before it requests the token. */
async function findTokenRefusal(
  { transport, token, namespace, logger }: KubeletAccessDependencies,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const attributes = { verb: 'create', namespace, resource: 'serviceaccounts', subresource: 'token', name: KUBELET_READER };
  try {
    if (!(await isAllowed(transport, attributes, signal))) return explainRefusal(namespace, 'not permitted');
    await token.headers();
  } catch (err) {
    if (token.refusal() === null) logger.warn('Requesting the token of the kubelet reader failed; retrying', { err });
  }
  return token.refusal();
}
