// Changes without a credential, while authentication is off.

/** Where a request comes from. */
export interface RequestSource {
  readonly method: string;
  /** Address of the connection's other end; undefined once it is closed. */
  readonly peer: string | undefined;
  /** The client's address: the peer, or what a trusted proxy names. */
  readonly client: string | undefined;
  /** Whether a proxy says that it passes the request on for another (Forwarded, X-Forwarded-For), trusted or not. */
  readonly isForwarded: boolean;
  /** Whether the proxy is one of `dashboard.trustedProxies`. */
  readonly isProxyTrusted: boolean;
}

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
const LOOPBACK = /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;

/**
 * Whether a request changes nothing, or comes from this machine, as one through `kubectl port-forward` does. A proxy on this machine passes
 * on requests of others: only a trusted one that names a loopback client is no way around.
 */
export function isReadOrLocal({ method, peer, client, isForwarded, isProxyTrusted }: RequestSource): boolean {
  if (READS.includes(method)) return true;
  if (isForwarded && !isProxyTrusted) return false;
  return [peer, client].every((address) => LOOPBACK.test(address ?? ''));
}
