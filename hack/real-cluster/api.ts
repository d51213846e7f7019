// Raw requests to the cluster's API server, as the administrator or with any token. The product's transport is not used, because tests must
// see the exact messages, without retries.

import https from 'node:https';
import { readFileSync } from 'node:fs';
import type { Layout } from './layout.ts';

export interface RawRequest {
  readonly method?: string;
  /** Path with query. */
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, other values as JSON. */
  readonly body?: unknown;
  /** Token in place of the administrator's certificate; empty: anonymous. */
  readonly token?: string;
  readonly timeoutMs?: number;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Parsed body; undefined when it is not JSON. */
  readonly body: unknown;
}

const DEFAULT_TIMEOUT_MS = 60_000;

export class RawApi {
  readonly #port: number;
  readonly #ca: string;
  readonly #admin: https.Agent;
  readonly #bare: https.Agent;

  constructor(layout: Layout, port: number) {
    this.#port = port;
    this.#ca = readFileSync(layout.certificate('ca'), 'utf8');
    const pair = { cert: readFileSync(layout.certificate('admin'), 'utf8'), key: readFileSync(layout.key('admin'), 'utf8') };
    this.#admin = new https.Agent({ keepAlive: true, maxSockets: 32, ca: this.#ca, ...pair });
    this.#bare = new https.Agent({ keepAlive: true, maxSockets: 32, ca: this.#ca });
  }

  /** Resolves with any response; rejects only when there is none. */
  request(request: RawRequest): Promise<RawResponse> {
    const { method = 'GET', path, headers = {}, body, token, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = https.request({
        host: '127.0.0.1',
        port: this.#port,
        method,
        path,
        agent: token === undefined ? this.#admin : this.#bare,
        headers: {
          accept: 'application/json',
          ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      sent.once('error', reject);
      sent.once('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, body: parsed(text) });
        });
      });
      sent.end(payload);
    });
  }

  /** @throws with the server's message when the response is an error */
  async expect<T>(request: RawRequest): Promise<T> {
    const answer = await this.request(request);
    if (answer.status < 300) return answer.body as T;
    const message = (answer.body as { message?: string } | undefined)?.message ?? answer.text;
    throw new Error(`${request.method ?? 'GET'} ${request.path}: HTTP ${answer.status}: ${message}`);
  }

  close(): void {
    this.#admin.destroy();
    this.#bare.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
