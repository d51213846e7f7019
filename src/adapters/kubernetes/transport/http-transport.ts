// The ApiTransport of production: JSON over keep-alive connections. client-node's transport opens a new TLS connection per request, which
// would dominate the cost at this request rate.

import http from 'node:http';
import https from 'node:https';
import type { DurationMs } from '#kube/units';
import type { ApiRequest, ApiResponse, ApiStream, ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Counter, Histogram, Metrics } from '../../../ports/metrics.ts';
import { UnavailableError } from '../../../ports/unavailable-error.ts';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import type { Random } from '../../../ports/random.ts';
import type { KubeConnection } from './connection.ts';
import { lineBatches } from './lines.ts';
import { sleep, reasonOf } from '../sleep.ts';
import { nameOf, type RequestName } from './request-names.ts';
import { type ApiFailure, failureOf, isBudgetRefusal, isTooManyRequests } from '../status.ts';
import { TokenBucket } from './token-bucket.ts';

export interface HttpTransportOptions {
  readonly connection: KubeConnection;
  readonly timer: MachineTimer;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly userAgent?: string;
  /** Client-side rate limit of this instance. Leases use a separate instance, so that load never delays a renewal. */
  readonly qps?: number;
  readonly burst?: number;
  /** Timeout of one attempt where the request sets none. */
  readonly timeoutMs?: DurationMs;
  readonly maxSockets?: number;
  readonly maxResponseBytes?: number;
}

/** Sustained requests per second, and burst. */
export const DEFAULT_RATE = { qps: 50, burst: 100 } as const;
const DEFAULT_TIMEOUT_MS: DurationMs = 30_000;
/** A page of 500 large pods has about 10 MB; a far larger answer means that the server ignored `limit`. */
const DEFAULT_MAX_RESPONSE_BYTES = 128 * 1024 * 1024;
/** etcd rejects objects above 1.5 MiB. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;
/** Each HTTP/1.1 watch occupies a socket; the rest is for requests. */
const DEFAULT_MAX_SOCKETS = 96;
const TCP_KEEP_ALIVE_MS: DurationMs = 30_000;
const MAX_THROTTLED_TRIES = 6;
const MAX_RETRY_AFTER_MS: DurationMs = 30_000;
const MAX_CONNECTION_TRIES = 4;
const FIRST_CONNECTION_RETRY_MS: DurationMs = 100;

/**
 * Retries only what is safe: 429 with Retry-After, a GET without an answer, and a 401 once with fresh credentials. Rejects with
 * OutOfReachError without an answer.
 */
export class HttpTransport implements ApiTransport {
  readonly #options: HttpTransportOptions;
  readonly #base: URL;
  readonly #agent: http.Agent;
  readonly #bucket: TokenBucket;
  readonly #requests: Counter;
  readonly #retries: Counter;
  readonly #duration: Histogram;
  readonly #throttled: Counter;

  constructor(options: HttpTransportOptions) {
    const { connection, metrics } = options;
    this.#options = options;
    this.#base = new URL(connection.server);
    this.#agent = agentFor(connection, options.maxSockets ?? DEFAULT_MAX_SOCKETS);
    this.#bucket = new TokenBucket({
      qps: options.qps ?? DEFAULT_RATE.qps,
      burst: options.burst ?? DEFAULT_RATE.burst,
      timer: options.timer,
    });
    this.#requests = metrics.counter({
      name: 'evenkeel_api_requests_total',
      help: 'Requests to the API server by verb, resource and answer; code "none" without an answer.',
      labels: ['verb', 'resource', 'code'],
    });
    this.#retries = metrics.counter({
      name: 'evenkeel_api_request_retries_total',
      help: 'Retried requests to the API server, by reason.',
      labels: ['verb', 'resource', 'reason'],
    });
    this.#duration = metrics.histogram({
      name: 'evenkeel_api_request_duration_seconds',
      help: 'Time from sending a request to its complete answer; for watches, to the first byte.',
      labels: ['verb', 'resource'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    });
    this.#throttled = metrics.counter({
      name: 'evenkeel_api_client_throttle_seconds_total',
      help: 'Time that requests waited for the client-side rate limit.',
    });
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    return this.#retrying(request, async (headers, signal) => {
      const answer = await this.#send(request, headers, signal);
      const maxBytes = this.#options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
      const text = await readAll(answer, Math.min(maxBytes, request.maxBytes ?? maxBytes));
      const received = headersOf(answer);
      const status = answer.statusCode ?? 0;
      const body = request.asText === true && status < 300 ? text : parseBody(text, received['content-type']);
      return { status, headers: received, body };
    });
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    return this.#retrying(request, async (headers, signal, opened) => {
      const answer = await this.#send(request, headers, signal);
      const received = headersOf(answer);
      const status = answer.statusCode ?? 0;
      if (status >= 300) {
        const text = await readAll(answer, MAX_EVENT_BYTES);
        return { status, headers: received, body: parseBody(text, received['content-type']), items: nothing() };
      }
      opened();
      return { status, headers: received, items: itemsOf(answer, isJson(received['content-type']), request) };
    });
  }

  /** Closes every connection, watches included. */
  close(): void {
    this.#agent.destroy();
  }

  async #retrying<A extends ApiResponse | ApiStream>(
    request: ApiRequest,
    attempt: (headers: http.OutgoingHttpHeaders, signal: AbortSignal, opened: () => void) => Promise<A>,
  ): Promise<A> {
    const name = nameOf(request);
    let fresh = false;
    for (let tries = 1, lost = 0; ; tries++) {
      this.#throttled.add((await this.#bucket.take(request.signal)) / 1000);
      let answer: A;
      try {
        answer = await this.#attemptOnce(request, name, fresh, attempt);
      } catch (err) {
        lost += 1;
        if (!canRetry(request) || lost >= MAX_CONNECTION_TRIES || isTooLarge(err)) throw err;
        await this.#waitToRetry(name, 'connection', FIRST_CONNECTION_RETRY_MS * 2 ** (lost - 1), request.signal);
        continue;
      }
      const failure = failureOf(answer);
      if (failure?.status === 401 && !fresh) {
        fresh = true;
        this.#retries.add(1, { ...name, reason: 'credentials' });
        continue;
      }
      const retryDelayMs = request.retry === false ? null : retryDelayOf(failure);
      if (retryDelayMs === null || tries >= MAX_THROTTLED_TRIES) return answer;
      await this.#waitToRetry(name, 'throttled', Math.min(retryDelayMs, MAX_RETRY_AFTER_MS), request.signal);
    }
  }

  async #attemptOnce<A extends ApiResponse | ApiStream>(
    request: ApiRequest,
    name: RequestName,
    fresh: boolean,
    attempt: (headers: http.OutgoingHttpHeaders, signal: AbortSignal, opened: () => void) => Promise<A>,
  ): Promise<A> {
    const { connection, timer } = this.#options;
    const startedMs = timer.nowMs();
    const deadline = new AbortController();
    const timeoutMs = request.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const cancel = timer.setTimer(timeoutMs, () => deadline.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const signal = request.signal === undefined ? deadline.signal : AbortSignal.any([request.signal, deadline.signal]);
    try {
      const answer = await attempt({ ...(await connection.headers({ fresh })), ...this.#headers(request) }, signal, cancel);
      this.#requests.add(1, { ...name, code: String(answer.status) });
      return answer;
    } catch (cause) {
      this.#requests.add(1, { ...name, code: 'none' });
      if (deadline.signal.aborted) this.#dropIdleConnections();
      const why = messageOf(cause, signal);
      throw new UnavailableError(`${request.method} ${request.path}: no answer from ${connection.server}: ${why}`, { cause });
    } finally {
      cancel();
      this.#duration.observe((timer.nowMs() - startedMs) / 1000, { ...name });
    }
  }

  // A host that disappeared leaves all its idle connections dead, each of which would cost one more timeout.
  #dropIdleConnections(): void {
    for (const idle of Object.values(this.#agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
  }

  // Full jitter keeps replicas and reflectors that were rejected together from retrying together.
  async #waitToRetry(name: RequestName, reason: string, ms: DurationMs, signal: AbortSignal | undefined): Promise<void> {
    this.#retries.add(1, { ...name, reason });
    await sleep(this.#options.timer, ms * (1 + this.#options.random.next()), signal);
  }

  #headers(request: ApiRequest): http.OutgoingHttpHeaders {
    return {
      accept: 'application/json',
      // Inside a cluster, decompressing lists costs more than the network saves.
      'accept-encoding': 'identity',
      'user-agent': this.#options.userAgent ?? 'evenkeel',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    };
  }

  #send(request: ApiRequest, headers: http.OutgoingHttpHeaders, signal: AbortSignal): Promise<http.IncomingMessage> {
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const options: http.RequestOptions = {
      method: request.method,
      agent: this.#agent,
      protocol: this.#base.protocol,
      hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
      port: this.#base.port,
      path: `${this.#base.pathname.replace(/\/$/, '')}${request.path}${queryOf(request)}`,
      headers: body === undefined ? headers : { ...headers, 'content-length': body.length },
      signal,
    };
    const client = this.#base.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const sent = client.request(options, resolve);
      sent.on('error', reject);
      sendWhenConnected(sent, request, this.#base.protocol, () => sent.end(body));
    });
  }
}

/** Whether a request without an answer is safe to retry and still wanted. */
function canRetry({ method, retry, signal }: ApiRequest): boolean {
  return method === 'GET' && retry !== false && signal?.aborted !== true;
}

function isTooLarge(err: unknown): boolean {
  return err instanceof Error && err.cause instanceof PageTooLarge;
}

/** Wait before a retry that the server requested; null: no retry. */
function retryDelayOf(failure: ApiFailure | null): DurationMs | null {
  return failure !== null && isTooManyRequests(failure) && !isBudgetRefusal(failure) ? failure.retryAfterMs : null;
}

/** A fenced request waits for the connection first: buffered data could no longer be withdrawn. */
function sendWhenConnected(sent: http.ClientRequest, { canSend, ...request }: ApiRequest, protocol: string, send: () => void): void {
  if (canSend === undefined) {
    send();
    return;
  }
  const sendIfAllowed = (): void => {
    if (canSend()) send();
    else sent.destroy(new Error(`${request.method} ${request.path} was not sent: this replica is no longer allowed to write`));
  };
  sent.once('socket', (socket) => {
    if (socket.connecting) socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', sendIfAllowed);
    else sendIfAllowed();
  });
}

function agentFor(connection: KubeConnection, maxSockets: number): http.Agent {
  const keep = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, maxSockets, maxFreeSockets: 16, scheduling: 'lifo' as const };
  if (connection.server.startsWith('http:')) return new http.Agent(keep);
  const { ca, cert, key, serverName, verify } = connection.tls;
  return new https.Agent({
    ...keep,
    rejectUnauthorized: verify,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  });
}

function queryOf(request: ApiRequest): string {
  if (request.query === undefined) return '';
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query)) {
    if (value === undefined) continue;
    if (typeof value === 'object') for (const one of value) query.append(name, one);
    else query.append(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

async function readAll(answer: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      answer.destroy();
      throw new PageTooLarge(`the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function* itemsOf(answer: http.IncomingMessage, json: boolean, request: ApiRequest): AsyncGenerator {
  try {
    for await (const lines of lineBatches(answer as AsyncIterable<Buffer>, MAX_EVENT_BYTES)) {
      for (const line of lines) yield json ? (JSON.parse(line) as unknown) : line;
    }
  } catch (cause) {
    throw new Error(`${request.method} ${request.path}: the stream broke: ${messageOf(cause, request.signal)}`, { cause });
  } finally {
    answer.destroy(); // the socket cannot be reused after an incomplete read
  }
}

// Node.js reports only "aborted"; the signal has the reason.
function messageOf(cause: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted === true) return reasonOf(signal).message;
  const { message = String(cause) } = cause as Partial<Error>;
  return message;
}

async function* nothing(): AsyncGenerator {
  // A refused stream has no items.
}

function parseBody(text: string, contentType: string | undefined): unknown {
  if (text === '') return undefined;
  return isJson(contentType) ? (JSON.parse(text) as unknown) : text;
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.startsWith('application/json') === true;
}

function headersOf(answer: http.IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
