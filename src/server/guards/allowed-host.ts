import { isIP } from 'node:net';

/** Names under which the dashboard's own Service answers inside the cluster. */
export interface ServiceName {
  readonly name: string;
  readonly namespace: string;
  /** DNS domain of the cluster. */
  readonly clusterDomain: string;
}

/**
 * Whether a Host header may be answered. With authentication off by default, a page of a stranger could otherwise point a
 * name of its own at this address (DNS rebinding) and read everything. Loopback, IP literals and the Service's own names
 * cannot be taken over that way; anything else must be allowed by `dashboard.allowedHosts`. A bare `<service>.<anything>`
 * is not enough: two labels are also what a public domain looks like.
 */
export function isAllowedHost(header: string | undefined, service: ServiceName, allowedHosts: readonly string[]): boolean {
  const host = hostName(header);
  if (host === undefined) return false;
  if (host === 'localhost' || host.endsWith('.localhost') || isIP(host) !== 0) return true;
  const { name, namespace, clusterDomain } = service;
  const own = [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.${clusterDomain}`];
  if (own.includes(host)) return true;
  return allowedHosts.some((allowed) => hostName(allowed) === host);
}

/** Host part, lower case, without port, brackets and the final dot; undefined where it is no host. */
export function hostName(header: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/@\s]+))(?::\d{1,5})?$/i.exec(header?.trim() ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}
