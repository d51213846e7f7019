import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import { closeAtOnce } from '../../api/http/close-at-once.ts';
import type { KubeletProvider } from '../../api/providers.ts';

/** `unknown`: the token belongs to no user. */
export type KubeletAccess = 'allowed' | 'denied' | 'unknown';

export interface KubeletServersOptions {
  readonly cluster: ClusterAccess;
  readonly endpoints: KubeletProvider;
  /** In PEM, valid for 127.0.0.1. */
  readonly cert: string;
  readonly key: string;
  /** Whether the user of a token may `get` this subresource (`metrics`, `proxy`) of a node. */
  readonly authorize: (token: string, node: string, subresource: string) => KubeletAccess;
  /** Called for a listener that failed; the others keep running. */
  readonly onError: (node: string, error: Error) => void;
}

/**
 * An HTTPS listener for every node on 127.0.0.1, as kubelets have, each on a free port that is written into the Node's status
 * (`status.daemonEndpoints.kubeletEndpoint.Port`).
 */
export class KubeletServers {
  readonly #options: KubeletServersOptions;
  readonly #servers = new Map<string, { readonly server: Server; readonly close: () => Promise<void> }>();
  #stopWatch: (() => void) | null = null;

  constructor(options: KubeletServersOptions) {
    this.#options = options;
  }

  /** Follows the cluster's nodes. Resolves when the listeners of the existing nodes are ready. */
  async start(): Promise<void> {
    const { cluster } = this.#options;
    await Promise.all(cluster.list('nodes').map((node) => this.#open(node.metadata.name)));
    this.#stopWatch = cluster.onChange('nodes', ({ type, object }) => {
      const { name } = object.metadata;
      if (type === 'DELETED') void this.#close(name);
      else if (!this.#servers.has(name)) void this.#open(name);
    });
  }

  async stop(): Promise<void> {
    this.#stopWatch?.();
    await Promise.all([...this.#servers.keys()].map((name) => this.#close(name)));
  }

  /** undefined while the node's listener is not ready. */
  portOf(node: string): number | undefined {
    const address = this.#servers.get(node)?.server.address() as AddressInfo | null | undefined;
    return address?.port;
  }

  async #open(node: string): Promise<void> {
    const { cert, key, onError, cluster } = this.#options;
    const server = createServer({ cert, key }, (request, response) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const answer = isRead
        ? this.#answer(node, request.url ?? '/', request.headers.authorization ?? '')
        : plain(405, 'method not allowed');
      response.writeHead(answer.status, { 'content-type': answer.contentType, ...answer.headers });
      response.end(answer.body);
    });
    this.#servers.set(node, { server, close: closeAtOnce(server) });
    await new Promise<void>((resolve) => {
      server.on('error', (error) => {
        onError(node, error);
        resolve();
      });
      server.listen(0, '127.0.0.1', resolve);
    });
    const port = this.portOf(node);
    if (port === undefined) return;
    cluster.modifyStatus('nodes', null, node, (draft) => {
      const status = (draft['status'] ??= {}) as Record<string, unknown>;
      status['daemonEndpoints'] = { kubeletEndpoint: { Port: port } };
    });
  }

  async #close(node: string): Promise<void> {
    const listener = this.#servers.get(node);
    this.#servers.delete(node);
    await listener?.close();
  }

  #answer(node: string, url: string, authorization: string): KubeletHttpAnswer {
    const { pathname, searchParams } = new URL(url, 'https://kubelet');
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
    const subresource = subresourceOf(pathname);
    const access = [subresource, 'proxy'].map((asked) => this.#options.authorize(token, node, asked));
    if (access.includes('unknown')) return plain(401, 'Unauthorized', { 'www-authenticate': 'Bearer' });
    if (!access.includes('allowed')) return plain(403, `Forbidden (verb=get, resource=nodes, subresource(s)=[${subresource} proxy])`);
    const answer = this.#options.endpoints.get(node, pathname, Object.fromEntries(searchParams));
    return answer === undefined ? plain(503, 'the node is gone') : { ...answer, headers: {} };
  }
}

/** Paths with a separate permission; `nodes/proxy` also grants them, and is required for all others. */
const SUBRESOURCES = ['metrics', 'stats', 'pods', 'healthz', 'configz', 'log'] as const;

/**
 * The subresource of nodes that authorizes a path of the kubelet.
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
function subresourceOf(path: string): string {
  const first = path.split('/', 2)[1] ?? '';
  return SUBRESOURCES.find((subresource) => subresource === (first === 'logs' ? 'log' : first)) ?? 'proxy';
}

interface KubeletHttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function plain(status: number, body: string, headers: Readonly<Record<string, string>> = {}): KubeletHttpAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body, headers };
}
