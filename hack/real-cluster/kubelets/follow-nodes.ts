import { setTimeout as pause } from 'node:timers/promises';
import { isAborted } from '../../../src/adapters/kubernetes/sleep.ts';
import type { ApiTransport } from '#kube/api-transport';
import type { KubeletServers } from './kubelet-servers.ts';

interface NodeWire {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>>; readonly resourceVersion: string };
  readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] };
}

const RETRY_INTERVAL_MS = 500;
const NODES = '/api/v1/nodes';

/** Serves a kubelet for every kwok node. Resolves when the signal aborts. */
export async function followNodes(transport: ApiTransport, servers: KubeletServers, signal: AbortSignal): Promise<void> {
  while (!isAborted(signal)) {
    try {
      const resourceVersion = await listNodes(transport, servers, signal);
      await watchNodes(transport, servers, resourceVersion, signal);
    } catch (err) {
      if (!isAborted(signal)) console.error('kubelets: watching the nodes failed; will retry:', err);
    }
    await pause(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function listNodes(transport: ApiTransport, servers: KubeletServers, signal: AbortSignal): Promise<string> {
  const { status, body } = await transport.request({ method: 'GET', path: NODES, signal });
  if (status !== 200) throw new Error(`listing nodes: HTTP ${status}`);
  const list = body as { readonly metadata: { readonly resourceVersion: string }; readonly items: readonly NodeWire[] };
  const there = new Set(list.items.map((node) => node.metadata.name));
  for (const name of servers.names()) if (!there.has(name)) servers.remove(name);
  for (const node of list.items) await serve(servers, node);
  return list.metadata.resourceVersion;
}

async function watchNodes(transport: ApiTransport, servers: KubeletServers, resourceVersion: string, signal: AbortSignal): Promise<void> {
  const query = { watch: true, resourceVersion, allowWatchBookmarks: true };
  const stream = await transport.stream({ method: 'GET', path: NODES, query, signal });
  if (stream.status !== 200) throw new Error(`watching nodes: HTTP ${stream.status}`);
  for await (const item of stream.items) {
    const { type, object } = item as { readonly type: string; readonly object: NodeWire };
    if (type === 'ADDED' || type === 'MODIFIED') await serve(servers, object);
    else if (type === 'DELETED') servers.remove(object.metadata.name);
    else if (type === 'ERROR') return; // listed again
  }
}

async function serve(servers: KubeletServers, node: NodeWire): Promise<void> {
  if (node.metadata.annotations?.['kwok.x-k8s.io/node'] !== 'fake') return;
  const address = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  // Only loopback: the process may not listen on other addresses.
  if (address?.startsWith('127.') === true) await servers.serve(node.metadata.name, address);
}
