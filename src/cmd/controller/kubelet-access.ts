// Whose credentials kubelets are sent. The controller's own may resize every pod of the cluster, and a node that was taken over keeps
// what it is sent: so those of a ServiceAccount that may read nodes' metrics alone, wherever that is to be had.

import { type KubeletToken, refusalWords } from '../../adapters/kubelet/kubelet-token.ts';
import { mayReadNodeMetrics } from '../../adapters/kubelet/usage-access.ts';
import { isAllowed } from '../../adapters/kubernetes/access-review.ts';
import type { KubeConnection } from '../../adapters/kubernetes/connection.ts';
import { KUBELET_READER } from '../../adapters/kubernetes/permissions.ts';
import type { ApiTransport } from '#kube/api-transport';
import type { Logger } from '../../ports/logger.ts';

/** How kubelets are read, and whether that may be. */
export interface KubeletAccess {
  readonly connection: KubeConnection;
  /** What is wrong about it, with the remedy; null: nothing. */
  readonly problem: () => string | null;
  /** Whether who is shown to kubelets may get `nodes/metrics`. Rejects when the API server does not say. */
  readonly mayRead: (signal: AbortSignal) => Promise<boolean>;
}

export interface KubeletAccessDependencies {
  /** Of the controller. */
  readonly transport: ApiTransport;
  readonly connection: KubeConnection;
  readonly token: KubeletToken;
  /** Over a connection of its own, with the token's credentials. */
  readonly transportOf: (connection: KubeConnection) => ApiTransport;
  /** Evenkeel's own. */
  readonly namespace: string;
  readonly inPod: boolean;
  /** Kubelets are read through the API server: no token is needed. */
  readonly viaProxy: boolean;
  readonly logger: Logger;
}

/**
 * In a pod no credentials but the token's are ever sent. Outside of one, where a person tries Evenkeel with a kubeconfig, the caller's
 * own are sent where the token is refused, and health says so.
 */
export async function kubeletAccess(dependencies: KubeletAccessDependencies, signal?: AbortSignal): Promise<KubeletAccess> {
  const { transport, connection, token, transportOf, inPod, viaProxy, logger } = dependencies;
  const { ca, serverName, verify } = connection.tls;
  // Without the caller's client certificate, which would be shown to kubelets, too.
  const tls = { verify, ...(ca === undefined ? {} : { ca }), ...(serverName === undefined ? {} : { serverName }) };
  const ofReader: KubeConnection = { server: connection.server, tls, headers: (ask) => token.headers(ask) };
  if (viaProxy) return { connection: ofReader, problem: () => null, mayRead: () => Promise.resolve(false) };
  const refusal = await whyRefused(dependencies, signal);
  if (refusal === null) {
    const asReader = transportOf(ofReader);
    return {
      connection: ofReader,
      problem: () => token.refusal(),
      mayRead: (each) => mayReadNodeMetrics(asReader, each),
    };
  }
  if (inPod) {
    logger.warn('Kubelets are not read', { problem: refusal });
    return { connection: ofReader, problem: () => refusal, mayRead: () => Promise.resolve(false) };
  }
  const problem = `the credentials of the kubeconfig are sent to each kubelet: ${refusal}`;
  logger.warn('Kubelets are sent the credentials of the kubeconfig', { problem: refusal });
  return { connection, problem: () => problem, mayRead: (each) => mayReadNodeMetrics(transport, each) };
}

/** null: the token is to be had, or the API server does not say. Asked before the token itself, so that nothing is tried in vain. */
async function whyRefused(
  { transport, token, namespace, logger }: KubeletAccessDependencies,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const attributes = { verb: 'create', namespace, resource: 'serviceaccounts', subresource: 'token', name: KUBELET_READER };
  try {
    if (!(await isAllowed(transport, attributes, signal))) return refusalWords(namespace, 'not permitted');
    await token.headers();
  } catch (err) {
    if (token.refusal() === null) logger.warn('Asking for the token that kubelets are read with failed; it is tried again', { err });
  }
  return token.refusal();
}
