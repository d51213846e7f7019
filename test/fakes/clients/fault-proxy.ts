// A proxy in front of an API server that injects faults by verb and resource, into all requests or some: other responses, delays, cut
// connections, silence, refused connections. It serves plain HTTP and connects to the server with TLS.

import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { KubeConnection } from '../../../src/adapters/kubernetes/transport/connection.ts';
import { nameOf } from '../../../src/adapters/kubernetes/transport/request-names.ts';
import type { HttpMethod } from '#kube/api-transport';

/** A request in the terms of RBAC. */
export interface ProxiedRequest {
  readonly verb: string;
  /** `pods`, `pods/resize`, `leases.coordination.k8s.io`, `other` */
  readonly resource: string;
  readonly path: string;
  readonly authorization: string;
}

/** Fault of a request. */
type Trouble =
  | { readonly answer: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** Forwarded after a delay. */
  | { readonly delayMs: number }
  /** Forwarded, but each part of the response arrives this much later. */
  | { readonly eventsAfterMs: number }
  /** The connection is closed without a response. */
  | 'cut'
  /** The server carries the request out, but its response is lost with the connection. */
  | 'lose-answer'
  /** There is no response. */
  | 'silence';

/** Which requests fail, and how. */
export type Fault = {
  readonly verbs?: readonly string[];
  readonly resources?: readonly string[];
  /** Only requests with this header. */
  readonly authorization?: string;
  /** Fails one request of so many, per verb and resource: 3 is the first, the fourth and so on. Unset: all of them. */
  readonly every?: number;
} & { readonly trouble: Trouble };

interface ActiveFault {
  readonly fault: Fault;
  /** Counts by verb and resource, so that frequent requests do not use up the turns of rare ones. */
  readonly seen: Map<string, number>;
  met: number;
}

/** An active fault. */
export interface RunningFault {
  /** Number of requests that it affected. */
  readonly met: () => number;
  readonly end: () => void;
}

/** Forwards requests to an API server, except those that an active fault affects. */
export class FaultProxy {
  /** Every received request, including refused ones. */
  readonly requests: ProxiedRequest[] = [];
  /** Every response of the server, whether or not it was delivered. */
  readonly answered: (ProxiedRequest & { readonly status: number })[] = [];
  readonly #upstream: KubeConnection;
  readonly #agent: https.Agent | http.Agent;
  readonly #sockets = new Set<Socket>();
  readonly #dead = new WeakSet<Socket>();
  readonly #streams = new Set<{ readonly request: ProxiedRequest; readonly cut: () => void }>();
  readonly #faults = new Set<ActiveFault>();
  #server: http.Server | null = null;
  #port = 0;

  private constructor(upstream: KubeConnection) {
    this.#upstream = upstream;
    const { ca, cert, key, verify, serverName } = upstream.tls;
    this.#agent = upstream.server.startsWith('https:')
      ? new https.Agent({
          keepAlive: true,
          rejectUnauthorized: verify,
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
          ...(serverName === undefined ? {} : { servername: serverName }),
        })
      : new http.Agent({ keepAlive: true });
  }

  /** @param upstream the API server; requests carry their credentials */
  static async start(upstream: KubeConnection): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream);
    await proxy.accept();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async close(): Promise<void> {
    await this.refuse();
    this.#agent.destroy();
  }

  /** Injects a fault until it is ended. */
  begin(fault: Fault): RunningFault {
    const active: ActiveFault = { fault, seen: new Map(), met: 0 };
    this.#faults.add(active);
    return { met: () => active.met, end: () => void this.#faults.delete(active) };
  }

  /** Cuts every open watch, or those of one resource. */
  closeWatches(resource?: string): number {
    const cut = [...this.#streams].filter(({ request }) => request.verb === 'watch' && (resource ?? request.resource) === request.resource);
    for (const stream of cut) stream.cut();
    return cut.length;
  }

  /**
   * Open connections stay open but carry no data any more, as when a host vanishes behind a load balancer. New connections work. Returns
   * their number.
   */
  halfOpen(): number {
    for (const socket of this.#sockets) this.#dead.add(socket);
    return this.#sockets.size;
  }

  /** Stops listening and closes open connections. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const socket of this.#sockets) socket.destroy();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  /** Listens again on the same port. */
  async accept(): Promise<void> {
    const server = http.createServer((request, response) => this.#receive(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  #receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    const proxied = read(request);
    this.requests.push(proxied);
    if (this.#dead.has(request.socket)) return;
    const trouble = this.#findTrouble(proxied);
    if (trouble === null || trouble === 'lose-answer') this.#forwardRequest(proxied, request, response, trouble === 'lose-answer');
    else if (typeof trouble === 'object' && 'eventsAfterMs' in trouble) {
      this.#forwardRequest(proxied, request, response, false, trouble.eventsAfterMs);
    } else if (trouble === 'cut') request.socket.destroy();
    else if (trouble === 'silence') return;
    else if ('delayMs' in trouble) setTimeout(() => this.#forwardRequest(proxied, request, response, false), trouble.delayMs);
    else {
      response.writeHead(trouble.answer, { 'content-type': 'application/json', ...trouble.headers });
      response.end(
        trouble.body ?? JSON.stringify({ kind: 'Status', status: 'Failure', code: trouble.answer, message: 'injected by a test' }),
      );
    }
  }

  #findTrouble(request: ProxiedRequest): Trouble | null {
    for (const active of this.#faults) {
      const { verbs, resources, authorization, every = 1, trouble } = active.fault;
      if (verbs?.includes(request.verb) === false || resources?.includes(request.resource) === false) continue;
      if ((authorization ?? request.authorization) !== request.authorization) continue;
      const kind = `${request.verb} ${request.resource}`;
      const seen = (active.seen.get(kind) ?? 0) + 1;
      active.seen.set(kind, seen);
      if ((seen - 1) % every !== 0) continue;
      active.met += 1;
      return trouble;
    }
    return null;
  }

  #forwardRequest(
    proxied: ProxiedRequest,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    loseAnswer: boolean,
    eventsAfterMs = 0,
  ): void {
    const { host: _ours, connection: _hop, ...headers } = request.headers;
    const url = new URL(`${this.#upstream.server}${request.url ?? '/'}`);
    const client = url.protocol === 'https:' ? https : http;
    const onward = client.request(url, { method: request.method, headers, agent: this.#agent }, (answer) => {
      this.answered.push({ ...proxied, status: answer.statusCode ?? 0 });
      if (loseAnswer) {
        answer.resume();
        answer.on('end', () => request.socket.destroy());
        return;
      }
      const stream = { request: proxied, cut: () => request.socket.destroy() };
      this.#streams.add(stream);
      const { connection: _theirs, ...received } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, received);
      // Not piped: data on a dead connection is dropped without backpressure to its sender.
      const deliver = (write: () => void): void => {
        const unlessDead = (): void => {
          if (!this.#dead.has(request.socket)) write();
        };
        if (eventsAfterMs === 0) unlessDead();
        else setTimeout(unlessDead, eventsAfterMs).unref();
      };
      answer.on('data', (chunk: Buffer) => deliver(() => void response.write(chunk)));
      answer.on('end', () => deliver(() => void response.end()));
      answer.on('error', () => request.socket.destroy());
      response.on('close', () => {
        this.#streams.delete(stream);
        onward.destroy();
      });
      response.flushHeaders();
    });
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  }
}

function read(request: http.IncomingMessage): ProxiedRequest {
  const url = new URL(request.url ?? '/', 'http://proxy');
  const contentType = request.headers['content-type'];
  const { verb, resource } = nameOf({
    method: request.method as HttpMethod,
    path: url.pathname,
    query: url.searchParams.has('watch') ? { watch: true } : {},
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  });
  return { verb, resource, path: url.pathname, authorization: request.headers.authorization ?? '' };
}
