import type { Request } from 'express';
import { isLoopbackHost } from '../../runtime/loopback.ts';
import { hostName } from './allowed-host.ts';

/** Whether the client's connection is encrypted, to Evenkeel or to the proxy that serves the public URL. */
export function isSecure(request: Request, publicUrl: string | null): boolean {
  if (request.secure) return true;
  if (publicUrl === null) return false;
  const { protocol, host } = new URL(publicUrl);
  return protocol === 'https:' && request.get('host')?.toLowerCase() === host;
}

/**
 * Whether browsers must use TLS for this host from now on. Not on loopback: the rule has no port, and would break the other servers
 * of the user's machine.
 */
export function needsTlsFromNowOn(request: Request, publicUrl: string | null): boolean {
  const host = hostName(request.get('host'));
  return host !== undefined && !isLoopbackHost(host) && !host.endsWith('.localhost') && isSecure(request, publicUrl);
}
