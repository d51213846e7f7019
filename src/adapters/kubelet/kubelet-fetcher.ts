import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';
import { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { NodeRecord } from '#kube/records/node';
import type { ApiTransport } from '#kube/api-transport';
import { PageTooLarge } from '../../ports/usage/page-too-large.ts';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import type { KubeConnection } from '../kubernetes/transport/connection.ts';
import { KUBELET_READER } from '../kubernetes/access/permissions.ts';
import { failureOf } from '../kubernetes/status.ts';
import { BufferedBytes } from './pages/buffered-bytes.ts';
import { KubeletAgent } from './kubelet-agent.ts';
import { UNTRUSTED_REMEDY } from './untrusted-remedy.ts';

/** Address of a kubelet from its node's status. */
export type KubeletAddress = Pick<NodeRecord, 'name' | 'internalIp' | 'kubeletPort'>;

/**
 * Reads pages of a node's kubelet. Rejects with the problem and the remedy; with `UntrustedKubelet` where its certificate is not trusted.
 */
export interface KubeletFetcher {
  /**
   * Returns the bytes of a page.
   * @param path with a leading slash: `/metrics/resource`, `/stats/summary`
   * @param maxBytes a larger page rejects with `PageTooLarge`
   */
  get(node: KubeletAddress, path: string, signal: AbortSignal, maxBytes: number): Promise<Buffer>;
  /**
   * Reads a page chunk by chunk, for pages too large to buffer. Rejects with what `take` throws.
   * @param take its chunk has no content after the call
   */
  stream(node: KubeletAddress, path: string, take: (chunk: Buffer) => void, signal: AbortSignal, maxBytes: number): Promise<void>;
}

const INFLATED_CHUNK_BYTES = 64 * 1024;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Addresses that are never a node's: link-local (cloud metadata services with credentials), "this host" and multicast. */
const FORBIDDEN_ADDRESSES = new BlockList();
FORBIDDEN_ADDRESSES.addSubnet('169.254.0.0', 16, 'ipv4');
FORBIDDEN_ADDRESSES.addSubnet('0.0.0.0', 8, 'ipv4');
FORBIDDEN_ADDRESSES.addSubnet('224.0.0.0', 3, 'ipv4');
FORBIDDEN_ADDRESSES.addSubnet('fe80::', 10, 'ipv6');
FORBIDDEN_ADDRESSES.addSubnet('ff00::', 8, 'ipv6');
FORBIDDEN_ADDRESSES.addAddress('::', 'ipv6');

/** TLS error codes of a self-signed, expired or foreign certificate. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
]);

export interface KubeletAddresses {
  /** Kubelet port of every node; null: the port in the node's status, which its kubelet writes. */
  readonly port: number | null;
  /** Allows loopback addresses, for a cluster that runs on this machine. */
  readonly loopback: boolean;
}

/**
 * Reads each kubelet directly at the node's InternalIP: no load on the API server, and no permission beyond `nodes/metrics` and
 * `nodes/stats`. The certificate is verified against the cluster's CA. Redirects are not followed.
 */
export class DirectKubeletFetcher implements KubeletFetcher {
  readonly #connection: KubeConnection;
  readonly #addresses: KubeletAddresses;
  readonly #agent: https.Agent;
  readonly #buffered = new BufferedBytes();

  /** @param maxKept connections kept while idle */
  constructor(connection: KubeConnection, addresses: KubeletAddresses, maxKept?: number) {
    this.#addresses = addresses;
    const { ca, cert, key, verify } = connection.tls;
    this.#connection = connection;
    const trust = { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
    this.#agent = new KubeletAgent(trust, { verify, ...(maxKept === undefined ? {} : { maxKept }) });
  }

  get(node: KubeletAddress, path: string, signal: AbortSignal, maxBytes: number): Promise<Buffer> {
    return this.#buffered.hold((take) => this.#read(node, path, { take, maxBytes, encoding: 'identity' }, signal));
  }

  stream(node: KubeletAddress, path: string, take: (chunk: Buffer) => void, signal: AbortSignal, maxBytes: number): Promise<void> {
    return this.#read(node, path, { take, maxBytes, encoding: 'gzip' }, signal);
  }

  async #read(node: KubeletAddress, path: string, body: BodyReader, signal: AbortSignal): Promise<void> {
    const { hostname, port } = addressOf(node, this.#addresses);
    const where = `kubelet of node ${node.name} (${hostname}:${port})`;
    const ask = async (fresh: boolean): Promise<number> => {
      const headers = { ...(await this.#connection.headers({ fresh })), 'accept-encoding': body.encoding };
      return this.#fetch({ hostname, port, path, headers, signal }, body).catch((cause: unknown) => {
        throw faultOf(where, cause, signal);
      });
    };
    const first = await ask(false);
    const status = first === 401 ? await ask(true) : first;
    if (status === 401 || status === 403) {
      throw new Error(
        `${where} refused ${path} (HTTP ${status}): grant get on nodes/metrics and nodes/stats to ServiceAccount ${KUBELET_READER}, or set kubelet.viaProxy: true`,
      );
    }
    if (status !== 200) throw new Error(`${where} answered ${path} with HTTP ${status}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Returns the status code; only the body of a 200 is read. */
  #fetch(options: https.RequestOptions & { readonly signal: AbortSignal }, body: BodyReader, again = true): Promise<number> {
    return new Promise((resolve, reject) => {
      const request = https.request({ ...options, method: 'GET', agent: this.#agent }, (response) => {
        const { statusCode = 0 } = response;
        const read = statusCode === 200 ? readBody(response, body) : finished(response.resume());
        read.then(() => resolve(statusCode), reject);
      });
      request.on('error', (err: NodeJS.ErrnoException) => {
        // The kubelet may close a keep-alive connection just as it is reused, which is not a failure.
        const closedWhileIdle = again && request.reusedSocket && err.code === 'ECONNRESET' && !options.signal.aborted;
        if (closedWhileIdle) resolve(this.#fetch(options, body, false));
        else reject(err);
      });
      request.end();
    });
  }
}

interface BodyReader {
  readonly take: (chunk: Buffer) => void;
  readonly maxBytes: number;
  /** Accept-Encoding. gzip shrinks metrics text to a thirtieth, which matters for large pages. */
  readonly encoding: 'identity' | 'gzip';
}

async function readBody(response: IncomingMessage, { take, maxBytes }: BodyReader): Promise<void> {
  let bytes = 0;
  const takeBounded = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    take(chunk);
  };
  // The bound applies to inflated bytes, since a small gzip body may inflate to a large one.
  if (response.headers['content-encoding'] === 'gzip')
    await pipeline(response, createGunzip({ chunkSize: INFLATED_CHUNK_BYTES }), sinkOf(takeBounded));
  else await readChunks(response, takeBounded);
}

/** Without `pipeline`, whose signals and listeners cost a fifth of the CPU time of a page over a kept connection. */
function readChunks(response: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (err) {
        response.destroy(err as Error);
      }
    });
    response.once('end', resolve);
    response.once('error', reject);
    response.once('close', () => reject(new Error('the connection was closed before the end of the page')));
  });
}

function sinkOf(take: (chunk: Buffer) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      try {
        take(chunk);
        freeFullChunk(chunk);
        done();
      } catch (err) {
        done(err as Error);
      }
    },
  });
}

/**
 * Frees the memory of an inflated chunk at once. A page has some megabytes, and V8 collects the garbage of the whole heap after 64 MB of
 * buffers, which costs more CPU time than to inflate and parse the page. A chunk that is not full shares its memory with the next one.
 */
function freeFullChunk({ buffer, byteOffset, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0);
}

/**
 * Reads kubelets through the API server's node proxy: works wherever the API server reaches nodes, but loads it and needs the broad
 * permission `nodes/proxy`.
 */
export class ProxyKubeletFetcher implements KubeletFetcher {
  readonly #transport: ApiTransport;

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  async get(node: KubeletAddress, path: string, signal: AbortSignal, maxBytes: number): Promise<Buffer> {
    const where = `kubelet of node ${node.name} through the API server`;
    const response = await this.#transport
      .request({
        method: 'GET',
        path: `/api/v1/nodes/${encodeURIComponent(node.name)}/proxy${path}`,
        headers: { accept: '*/*' },
        asText: true,
        signal,
        maxBytes,
      })
      .catch((err: unknown) => {
        const { cause } = err as Partial<Error>;
        throw cause instanceof PageTooLarge ? new PageTooLarge(`${where}: ${cause.message}`, { cause }) : err;
      });
    const failure = failureOf(response);
    if (failure !== null) {
      const remedy = failure.status === 403 ? ': grant get on nodes/proxy, or set kubelet.viaProxy: false' : '';
      throw new Error(`${where}: ${failure.message}${remedy}`);
    }
    // An in-process transport may return the decoded value.
    const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
    const page = Buffer.from(text);
    if (page.length <= maxBytes) return page;
    const { message } = tooLarge(maxBytes);
    throw new PageTooLarge(`${where}: ${message}`);
  }

  /** The transport buffers the response, so its `maxResponseBytes` applies as well. */
  async stream(node: KubeletAddress, path: string, take: (chunk: Buffer) => void, signal: AbortSignal, maxBytes: number): Promise<void> {
    take(await this.get(node, path, signal, maxBytes));
  }
}

/** A node's status is written by its kubelet, so only addresses that a node can have are allowed. @throws Error */
function addressOf(
  { name, internalIp, kubeletPort }: KubeletAddress,
  { port, loopback }: KubeletAddresses,
): { hostname: string; port: number } {
  if (internalIp === null) throw new Error(`node ${name} has no InternalIP: set kubelet.viaProxy: true to read it through the API server`);
  const family = isIP(internalIp);
  if (family === 0) throw new Error(`node ${name}: its InternalIP ${JSON.stringify(internalIp.slice(0, 100))} is not an IP address`);
  const isForbidden = FORBIDDEN_ADDRESSES.check(internalIp, family === 4 ? 'ipv4' : 'ipv6');
  const isLoopback = LOOPBACK.check(internalIp, family === 4 ? 'ipv4' : 'ipv6');
  if (isForbidden || (isLoopback && !loopback)) throw new Error(`node ${name}: its InternalIP ${internalIp} is not the address of a node`);
  return { hostname: internalIp, port: port ?? kubeletPort };
}

function tooLarge(maxBytes: number): PageTooLarge {
  return new PageTooLarge(`the answer is larger than ${maxBytes} bytes, more than the known pods on the node can produce`);
}

function faultOf(where: string, cause: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return new Error(`${where}: ${signal.reason instanceof Error ? signal.reason.message : 'aborted'}`, { cause });
  // Checked by shape, not class: Node.js errors belong to another realm where code runs in a VM context.
  const { code, message = String(cause) } = cause as Partial<NodeJS.ErrnoException>;
  if (code !== undefined && UNTRUSTED.has(code)) return new UntrustedKubelet(where, code, { cause, remedy: UNTRUSTED_REMEDY });
  return cause instanceof PageTooLarge ? new PageTooLarge(`${where}: ${message}`, { cause }) : new Error(`${where}: ${message}`, { cause });
}
