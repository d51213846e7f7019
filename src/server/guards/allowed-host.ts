import { isIP } from 'node:net';

/** Names of the dashboard's Service inside the cluster. */
export interface ServiceName {
  readonly name: string;
  readonly namespace: string;
  /** DNS domain of the cluster. */
  readonly clusterDomain: string;
}

/**
 * Whether requests with a Host header are answered. Without authentication, a foreign web page could otherwise point its serviceNames DNS name at
 * this address (DNS rebinding) and read everything. Loopback, IP literals and the Service's names cannot be rebound; other names need
 * `dashboard.allowedHosts`. `<service>.<anything>` does not suffice, since public domains also have two labels.
 */
export function isAllowedHost(header: string | undefined, service: ServiceName, allowedHosts: readonly string[]): boolean {
  const host = hostName(header);
  if (host === undefined) return false;
  if (host === 'localhost' || host.endsWith('.localhost') || isIP(host) !== 0) return true;
  const { name, namespace, clusterDomain } = service;
  const serviceNames = [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.${clusterDomain}`];
  if (serviceNames.includes(host)) return true;
  return allowedHosts.some((allowed) => hostName(allowed) === host);
}

/** Lower-case host without port, brackets and trailing dot; undefined where it is malformed. */
export function hostName(header: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/@\s]+))(?::\d{1,5})?$/i.exec(header?.trim() ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}
