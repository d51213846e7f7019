// Changes without a credential, while authentication is off.

/** Where a request comes from. */
export interface RequestSource {
  readonly method: string;
  /** Address of the connection's other end; undefined once it is closed. */
  readonly peer: string | undefined;
  /** Whether a proxy says that it passes the request on for another (Forwarded, X-Forwarded-For), trusted or not. */
  readonly isForwarded: boolean;
}

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
// Not all of 127/8: the sidecars of service meshes pass requests of other pods on from further addresses of it.
const LOOPBACK = /^(::ffff:)?127\.0\.0\.1$|^::1$/;

/**
 * Whether a request changes nothing, or comes from this machine, as one through `kubectl port-forward` does. What a proxy passes on comes
 * from another, whatever it is and whomever it names.
 */
export function isReadOrLocal({ method, peer, isForwarded }: RequestSource): boolean {
  return READS.includes(method) || (!isForwarded && LOOPBACK.test(peer ?? ''));
}
