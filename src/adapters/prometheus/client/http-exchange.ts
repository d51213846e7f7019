// One HTTP request to Prometheus and its complete answer, bounded in time and size.

import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { DurationMs } from '#kube/units';
import type { PrometheusConnection } from './connection.ts';
import { PrometheusFailure } from './failure.ts';

/** Above this size the query is split into shorter ranges. */
const MAX_BYTES = 128 * 1024 * 1024;

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly body: string;
}

/** Sends requests to Prometheus over keep-alive connections. */
export class HttpExchange {
  readonly #connection: PrometheusConnection;
  readonly #timer: MachineTimer;
  readonly #agent: HttpAgent;

  constructor(connection: PrometheusConnection, timer: MachineTimer, maxSockets: number) {
    this.#connection = connection;
    this.#timer = timer;
    this.#agent =
      connection.base.protocol === 'https:'
        ? new HttpsAgent({ keepAlive: true, maxSockets, ...(connection.ca === null ? {} : { ca: connection.ca }) })
        : new HttpAgent({ keepAlive: true, maxSockets });
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * Sends a form. Rejects with PrometheusFailure, or the signal's reason.
   * @param method POST where the API allows it, since queries may be long
   */
  async send(
    { method, path, form }: { readonly method: 'GET' | 'POST'; readonly path: string; readonly form: URLSearchParams },
    timeoutMs: DurationMs,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const cancel = this.#timer.setTimer(timeoutMs, () =>
      stop.abort(new PrometheusFailure('unreachable', `${this.#connection.shown} did not answer within ${timeoutMs / 1000} s`)),
    );
    try {
      return await this.#exchange(method, path, form.toString(), stop.signal);
    } catch (error) {
      if (stop.signal.aborted) throw stop.signal.reason as Error;
      if (error instanceof PrometheusFailure) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new PrometheusFailure('unreachable', `${this.#connection.shown} cannot be reached: ${why}`, { cause: error });
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #exchange(method: 'GET' | 'POST', path: string, form: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { base } = this.#connection;
    const url = new URL(base.href);
    url.pathname = `${base.pathname.replace(/\/$/, '')}${path}`;
    if (method === 'GET') url.search = form;
    const body = method === 'GET' ? '' : form;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = send(url, {
      method,
      agent: this.#agent,
      signal,
      headers: {
        ...this.#connection.headers(),
        accept: 'application/json',
        'accept-encoding': 'gzip',
        ...(method === 'GET' ? {} : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }),
        'user-agent': 'evenkeel',
      },
    });
    request.on('response', resolve).on('error', reject);
    request.end(body);
    const response = await promise;
    const zipped = response.headers['content-encoding'] === 'gzip';
    const text = await readAll(zipped ? unzipped(response) : response, () => request.destroy());
    return { status: response.statusCode ?? 0, retryAfterMs: retryAfterOf(response.headers['retry-after']), body: text };
  }
}

function unzipped(response: IncomingMessage): Readable {
  const gunzip = createGunzip();
  response.on('error', (error) => gunzip.destroy(error));
  return response.pipe(gunzip);
}

async function readAll(stream: Readable, stop: () => void): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) {
      stop();
      throw new PrometheusFailure('too-much', `the answer is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function retryAfterOf(header: string | undefined): DurationMs | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}
