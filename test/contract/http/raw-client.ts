// Plain HTTP without a Kubernetes library, so that tests see the server's exact responses.

import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HANG_MS } from '../../eventually.ts';
import { RawWatch } from './raw-watch.ts';

/** An API server that is tested for the contract. */
export interface ApiTarget {
  /** Heading of its column in the table. */
  readonly name: string;
  /** `https://127.0.0.1:6443` */
  readonly baseUrl: string;
  /** PEM of the authority that signed its certificate. */
  readonly ca: string;
  /** Token of an administrator. */
  readonly token: string;
}

/** Parsed JSON of any shape; cases check the fields that they need. */
export type Json = ReturnType<typeof JSON.parse>;

export interface RawRequest {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, other values as JSON. */
  readonly body?: unknown;
  /** `application/json` unless set. */
  readonly contentType?: string;
  /** Token of another user; null: none. */
  readonly token?: string | null;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed body; undefined when it is not JSON. */
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

/** Media types of the four kinds of patch. */
export const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Text of `299 - "text"`, without the escapes of quotes. */
function warningText(header: string): string {
  return /^299 \S+ "(.*)"$/.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? header;
}

/** Maximum number of sockets: more than the concurrent cases with their watches need. */
const SOCKETS_MAX = 64;

/** Sends requests to one server. */
export class RawClient {
  readonly target: ApiTarget;
  readonly #agent: Agent;
  readonly #watches = new Set<RawWatch>();

  constructor(target: ApiTarget) {
    this.target = target;
    this.#agent = new Agent({ ca: target.ca, keepAlive: true, maxSockets: SOCKETS_MAX });
  }

  get(path: string, query: RawRequest['query'] = {}, request: RawRequest = {}): Promise<RawResponse> {
    return this.send('GET', path, { ...request, query });
  }

  post(path: string, body: unknown, request: RawRequest = {}): Promise<RawResponse> {
    return this.send('POST', path, { ...request, body });
  }

  put(path: string, body: unknown, request: RawRequest = {}): Promise<RawResponse> {
    return this.send('PUT', path, { ...request, body });
  }

  patch(path: string, type: keyof typeof PATCH, body: unknown, request: RawRequest = {}): Promise<RawResponse> {
    return this.send('PATCH', path, { ...request, body, contentType: PATCH[type] });
  }

  delete(path: string, request: RawRequest = {}): Promise<RawResponse> {
    return this.send('DELETE', path, request);
  }

  /** Sends a request with any method; rejects when no complete response arrives. */
  async send(method: string, path: string, request: RawRequest = {}): Promise<RawResponse> {
    const answer = await this.#open(method, path, request);
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const isJson = (answer.headers['content-type'] ?? '').startsWith('application/json');
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      warnings: (answer.headersDistinct['warning'] ?? []).map(warningText),
    };
  }

  /** Opens a watch and adds `watch=true`. Rejects with the server's message when it is refused. */
  async watch(path: string, query: RawRequest['query'] = {}, request: RawRequest = {}): Promise<RawWatch> {
    const answer = await this.#open('GET', path, { ...request, query: { watch: true, ...query } });
    const watch = new RawWatch(answer, path);
    this.#watches.add(watch);
    if (answer.statusCode !== 200) throw new Error(`watching ${path}: HTTP ${answer.statusCode}: ${JSON.stringify(await watch.rest())}`);
    return watch;
  }

  /** Ends watches and connections. */
  close(): void {
    for (const watch of this.#watches) watch.close();
    this.#agent.destroy();
  }

  #open(method: string, path: string, { query = {}, headers = {}, body, contentType, token }: RawRequest): Promise<IncomingMessage> {
    const url = new URL(path, this.target.baseUrl);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const bearer = token === undefined ? this.target.token : token;
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(
        url,
        {
          method,
          agent: this.#agent,
          headers: {
            'user-agent': 'contract',
            accept: 'application/json',
            ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
            ...(payload === undefined
              ? {}
              : { 'content-type': contentType ?? 'application/json', 'content-length': Buffer.byteLength(payload) }),
            ...headers,
          },
        },
        (answer) => {
          clearTimeout(deadline);
          resolve(answer);
        },
      );
      const deadline = setTimeout(() => outgoing.destroy(new Error(`no answer within ${HANG_MS} ms`)), HANG_MS);
      outgoing.on('error', (cause) => {
        clearTimeout(deadline);
        reject(new Error(`${method} ${url.href}: ${cause.message}`, { cause }));
      });
      outgoing.end(payload);
    });
  }
}
