import https from 'node:https';
import type { NodeRecord } from '../../core/model/node.ts';
import type { ApiTransport } from '../../ports/api-transport.ts';
import type { KubeConnection } from '../kubernetes/connection.ts';
import { failureOf } from '../kubernetes/status.ts';

/** Gets one page of a node's kubelet. Rejects with what is wrong and what to do about it. */
export interface KubeletFetcher {
  /** @param path with a slash in front: `/metrics/resource`, `/stats/summary` */
  get(node: NodeRecord, path: string, signal: AbortSignal): Promise<string>;
}

const MAX_BYTES = 32 * 1024 * 1024;

/** What TLS says when a kubelet signs its own certificate, or its certificate is another's. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
]);

/**
 * Each node directly, at its InternalIP: no load on the API server, and no permission but `nodes/metrics` and `nodes/stats`.
 * The kubelet's certificate is checked against the cluster's CA.
 */
export class DirectKubeletFetcher implements KubeletFetcher {
  readonly #connection: KubeConnection;
  readonly #agent: https.Agent;

  constructor(connection: KubeConnection) {
    const { ca, cert, key, verify } = connection.tls;
    this.#connection = connection;
    this.#agent = new https.Agent({
      keepAlive: true,
      maxSockets: 2, // a host
      rejectUnauthorized: verify,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  }

  async get(node: NodeRecord, path: string, signal: AbortSignal): Promise<string> {
    if (node.internalIp === null)
      throw new Error(`node ${node.name} has no InternalIP: set kubelet.viaProxy: true to read it through the API server`);
    const where = `kubelet of node ${node.name} (${node.internalIp}:${node.kubeletPort})`;
    const headers = await this.#connection.headers();
    const answer = await this.#fetch(node.internalIp, node.kubeletPort, path, headers, signal).catch((cause: unknown) => {
      throw new Error(`${where}: ${wordsOf(cause, signal)}`, { cause });
    });
    if (answer.status === 401 || answer.status === 403) {
      throw new Error(
        `${where} refused ${path} (HTTP ${answer.status}): grant get on nodes/metrics and nodes/stats, or set kubelet.viaProxy: true`,
      );
    }
    if (answer.status !== 200) throw new Error(`${where} answered ${path} with HTTP ${answer.status}`);
    return answer.text;
  }

  close(): void {
    this.#agent.destroy();
  }

  #fetch(
    hostname: string,
    port: number,
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    again = true,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = https.request(
        { hostname, port, path, method: 'GET', agent: this.#agent, headers: { ...headers }, signal },
        (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_BYTES) response.destroy(new Error(`the answer is larger than ${MAX_BYTES} bytes`));
            else chunks.push(chunk);
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
          response.on('error', reject);
        },
      );
      request.on('error', (err: NodeJS.ErrnoException) => {
        // A kept connection that the kubelet closes just as it is used again says nothing about the kubelet.
        const closedWhileIdle = again && request.reusedSocket && err.code === 'ECONNRESET' && !signal.aborted;
        if (closedWhileIdle) resolve(this.#fetch(hostname, port, path, headers, signal, false));
        else reject(err);
      });
      request.end();
    });
  }
}

/** Through the API server: works wherever the API server does, at its cost, and needs the far-reaching permission `nodes/proxy`. */
export class ProxyKubeletFetcher implements KubeletFetcher {
  readonly #transport: ApiTransport;

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  async get(node: NodeRecord, path: string, signal: AbortSignal): Promise<string> {
    const response = await this.#transport.request({
      method: 'GET',
      path: `/api/v1/nodes/${encodeURIComponent(node.name)}/proxy${path}`,
      headers: { accept: '*/*' },
      signal,
    });
    const failure = failureOf(response);
    if (failure !== null) {
      const remedy = failure.status === 403 ? ': grant get on nodes/proxy, or set kubelet.viaProxy: false' : '';
      throw new Error(`kubelet of node ${node.name} through the API server: ${failure.message}${remedy}`);
    }
    return typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
  }
}

function wordsOf(cause: unknown, signal: AbortSignal): string {
  if (signal.aborted) return signal.reason instanceof Error ? signal.reason.message : 'aborted';
  // By shape, not by class: errors of Node's own modules belong to another realm where code runs in a VM context.
  const { code, message = String(cause) } = cause as Partial<NodeJS.ErrnoException>;
  if (code === undefined || !UNTRUSTED.has(code)) return message;
  return (
    `its certificate is not one of the cluster's CA (${code}): set serverTLSBootstrap: true for the kubelets and approve their ` +
    'certificate requests, or set kubelet.viaProxy: true'
  );
}
