// Addresses and ports of services, drawn from the object's own name: the same manifests give the same cluster.

import { fnv1a } from '#kube/fnv1a';
import type { Service } from '../../controllers/wire/service.ts';

/** 10.96.0.0/16: the first part of kubeadm's default service network. */
const NETWORK = [10, 96] as const;
/** The first is the API server's own service. */
const FIRST_ADDRESS = 10;
const ADDRESSES = 256 * 256 - 2 * FIRST_ADDRESS;
const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;

/** The address that belongs to the name, or the next free one; undefined where none is left. */
export function freeClusterIp(name: string, taken: ReadonlySet<string>): string | undefined {
  const start = fnv1a(name) % ADDRESSES;
  for (let step = 0; step < ADDRESSES; step += 1) {
    const index = FIRST_ADDRESS + ((start + step) % ADDRESSES);
    const address = [...NETWORK, index >> 8, index & 255].join('.');
    if (!taken.has(address)) return address;
  }
  return undefined;
}

/** undefined where none is left. */
export function freeNodePort(name: string, taken: ReadonlySet<number>): number | undefined {
  const start = fnv1a(name) % NODE_PORTS;
  for (let step = 0; step < NODE_PORTS; step += 1) {
    const port = FIRST_NODE_PORT + ((start + step) % NODE_PORTS);
    if (!taken.has(port)) return port;
  }
  return undefined;
}

export function isNodePort(port: number): boolean {
  return port >= FIRST_NODE_PORT && port < FIRST_NODE_PORT + NODE_PORTS;
}

export const NODE_PORT_RANGE = `${String(FIRST_NODE_PORT)}-${String(FIRST_NODE_PORT + NODE_PORTS - 1)}`;

export function takenAddresses(services: readonly Service[]): { readonly addresses: Set<string>; readonly ports: Set<number> } {
  const addresses = new Set(services.map(({ spec }) => spec.clusterIP ?? ''));
  const ports = new Set(services.flatMap(({ spec }) => (spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0)));
  return { addresses, ports };
}
