// A small API server over real HTTP for a few collections: pages, streaming lists, watches, and the failures that a client must handle.

import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { KubeConnection } from '../../src/adapters/kubernetes/transport/connection.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

/** A response that a test sends in place of the server's. */
export type Answer = (response: http.ServerResponse, request: ReceivedRequest) => void;

interface Stored {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; uid?: string; resourceVersion?: string };
  readonly [field: string]: unknown;
}

/** An open watch. */
export interface OpenWatch {
  readonly request: ReceivedRequest;
  readonly response: http.ServerResponse;
}

/** Serves collections that a test fills, and records the requests. */
export class FakeApiServer {
  readonly requests: ReceivedRequest[] = [];
  readonly watches = new Set<OpenWatch>();
  /** Serves `sendInitialEvents`; otherwise such a watch gets a 422, as from servers before 1.27. */
  streamingLists = false;
  connections = 0;
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();
  readonly #objects = new Map<string, Map<string, Stored>>();
  /** Events of each collection, in order: a watch from a version starts with the later ones. */
  readonly #events = new Map<string, { readonly type: string; readonly object: Stored }[]>();
  readonly #troubles: { readonly isMatch: (request: ReceivedRequest) => boolean; readonly answer: Answer }[] = [];
  #version = 100;

  private constructor() {
    this.#server = http.createServer((request, response) => void this.#receive(request, response));
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<FakeApiServer> {
    const fake = new FakeApiServer();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connection(): KubeConnection {
    return { server: this.url, tls: { verify: false }, headers: async () => ({ authorization: 'Bearer test' }) };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Sends this response to the next request that `when` accepts. */
  once(isMatch: (request: ReceivedRequest) => boolean, answer: Answer): void {
    this.#troubles.push({ isMatch, answer });
  }

  /** Creates or replaces an object of a collection (`/api/v1/pods`) and sends the event to its watches, unless `quietly`. */
  put(collection: string, object: Stored, options: { readonly quietly?: boolean } = {}): Stored {
    const objects = this.#collection(collection);
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const existing = objects.get(key);
    const stored = {
      ...object,
      metadata: { uid: existing?.metadata.uid ?? `uid-${key}`, ...object.metadata, resourceVersion: this.#nextVersion() },
    };
    objects.set(key, stored);
    if (options.quietly !== true) this.#emitEvent(collection, existing === undefined ? 'ADDED' : 'MODIFIED', stored);
    return stored;
  }

  remove(collection: string, name: string, namespace = '', options: { readonly quietly?: boolean } = {}): void {
    const objects = this.#collection(collection);
    const stored = objects.get(`${namespace}/${name}`);
    if (stored === undefined) throw new Error(`no ${name} in ${collection}`);
    objects.delete(`${namespace}/${name}`);
    const last = { ...stored, metadata: { ...stored.metadata, resourceVersion: this.#nextVersion() } };
    if (options.quietly !== true) this.#emitEvent(collection, 'DELETED', last);
  }

  bookmark(collection: string, annotations?: Record<string, string>): string {
    const resourceVersion = this.#nextVersion();
    this.notify(collection, 'BOOKMARK', { metadata: { resourceVersion, ...(annotations === undefined ? {} : { annotations }) } });
    return resourceVersion;
  }

  notify(collection: string, type: string, object: unknown): void {
    for (const watch of this.watches) {
      if (watch.request.path === collection) watch.response.write(`${JSON.stringify({ type, object })}\n`);
    }
  }

  /** Ends the open watches of a collection gracefully. */
  endWatches(collection: string): void {
    for (const watch of [...this.watches]) if (watch.request.path === collection) watch.response.end();
  }

  /** Cuts the connections of the open watches. */
  closeWatches(collection: string): void {
    for (const watch of [...this.watches]) if (watch.request.path === collection) watch.response.destroy();
  }

  count(isMatch: (request: ReceivedRequest) => boolean): number {
    return this.requests.filter(isMatch).length;
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const received: ReceivedRequest = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    this.requests.push(received);
    const index = this.#troubles.findIndex((trouble) => trouble.isMatch(received));
    if (index !== -1) {
      const [trouble] = this.#troubles.splice(index, 1);
      trouble?.answer(response, received);
    } else if (received.query.get('watch') === 'true') this.#watch(received, response);
    else this.#list(received, response);
  }

  #list(request: ReceivedRequest, response: http.ServerResponse): void {
    const objects = [...this.#collection(request.path).values()];
    const from = Number(request.query.get('continue') ?? 0);
    const limit = Number(request.query.get('limit') ?? objects.length);
    const next = from + limit < objects.length ? String(from + limit) : undefined;
    json(200, {
      kind: 'List',
      metadata: { resourceVersion: String(this.#version), continue: next },
      items: objects.slice(from, from + limit),
    })(response, request);
  }

  #watch(request: ReceivedRequest, response: http.ServerResponse): void {
    const initial = request.query.get('sendInitialEvents') === 'true';
    if (initial && !this.streamingLists) {
      refusal(
        422,
        'Invalid',
        'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      )(response, request);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watch = { request, response };
    this.watches.add(watch);
    response.on('close', () => this.watches.delete(watch));
    if (!initial) {
      const from = Number(request.query.get('resourceVersion') ?? this.#version);
      for (const { type, object } of this.#events.get(request.path) ?? [])
        if (Number(object.metadata.resourceVersion) > from) response.write(`${JSON.stringify({ type, object })}\n`);
      return;
    }
    for (const object of this.#collection(request.path).values()) response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    const metadata = { resourceVersion: String(this.#version), annotations: { 'k8s.io/initial-events-end': 'true' } };
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
  }

  #emitEvent(collection: string, type: string, object: Stored): void {
    const events = this.#events.get(collection) ?? [];
    this.#events.set(collection, [...events, { type, object }]);
    this.notify(collection, type, object);
  }

  #collection(path: string): Map<string, Stored> {
    let objects = this.#objects.get(path);
    if (objects === undefined) this.#objects.set(path, (objects = new Map()));
    return objects;
  }

  #nextVersion(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

/** A JSON response. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** An error response with the Status object of the API server. */
export function refusal(
  status: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
  details: object = {},
): Answer {
  return json(status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code: status, details }, headers);
}

/** Closes the connection without a response. */
export const cutOff: Answer = (response) => void response.destroy();

/** Accepts the request and never responds. */
export const silence: Answer = () => undefined;

/** Raw bytes of a watch stream. @param end ends the response, cuts the connection, or keeps it open */
export function streamOf(text: string, end: 'end' | 'cut' | 'stay' = 'end'): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(text, () => {
      if (end === 'end') response.end();
      else if (end === 'cut') response.destroy();
    });
  };
}
