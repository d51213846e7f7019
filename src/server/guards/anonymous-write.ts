// Changes without credentials, while authentication is off.

/** Origin of a request. */
export interface RequestSource {
  /** Remote address of the connection; undefined once it is closed. */
  readonly peer: string | undefined;
  /** Whether a proxy header (Forwarded, X-Forwarded-For) is present, trusted or not. */
  readonly isForwarded: boolean;
}

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
// Not all of 127.0.0.0/8: sidecars of service meshes forward requests of other pods from further loopback addresses.
const LOOPBACK = /^(::ffff:)?127\.0\.0\.1$|^::1$/;

/** Whether a request changes nothing. */
export function isRead(method: string): boolean {
  return READS.includes(method);
}

/**
 * Whether a request comes from this machine, as through `kubectl port-forward`. A forwarded request counts as remote regardless of the
 * addresses it names.
 */
export function isLocal({ peer, isForwarded }: RequestSource): boolean {
  return !isForwarded && LOOPBACK.test(peer ?? '');
}
