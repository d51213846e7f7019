// HTTPS server of the mutating webhook: POST /mutate, answered from memory.

import { createServer, type Server, type ServerOptions } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { DurationMs } from '#kube/units';
import type { SizesAtCreation } from '../../ports/cluster/sizes-at-creation.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Histogram, Metrics } from '../../ports/metrics.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { boundPipelining } from '../../runtime/clients/bound-pipelining.ts';
import { RateLimiter, type Rate } from '../../runtime/clients/rate-limit.ts';
import { refusalCounter } from '../../runtime/clients/refusals.ts';
import { answerReview } from './review.ts';

/** Maximum body of a review. A creation review carries one object, and etcd limits objects to 1.5 MiB. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** The webhook configuration's timeoutSeconds: the API server ignores later answers. */
const REQUEST_TIMEOUT_MS = 2_000;
const MAX_POSTS = 64;
const MAX_CONNECTIONS = 256;
/** Per client address. A busy API server creates 200 pods per second; pods above the limit are created unchanged. */
const REVIEW_RATE: Rate = { perSecond: 200, burst: 1_000 };
/** Per client address, in KiB, since parsing dominates the cost of a post. Reviews at REVIEW_RATE use a tenth of it. */
const KIB_RATE: Rate = { perSecond: 8 * 1024, burst: 16 * 1024 };

export interface KeyPair {
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
}

export interface AdmissionServerDependencies {
  readonly listen: { readonly host: string | undefined; readonly port: number };
  readonly keyPair: KeyPair;
  readonly sizes: SizesAtCreation;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly timer: MachineTimer;
  /** Deadline for reading a complete request; default 2 s. */
  readonly requestTimeoutMs?: DurationMs;
}

/** Serves AdmissionReviews over HTTPS. Every pod is allowed; the answer changes at most its sizes. */
export class AdmissionServer {
  readonly #dependencies: AdmissionServerDependencies;
  readonly #server: Server;
  readonly #reviews: Counter;
  readonly #seconds: Histogram;
  readonly #connections = new BoundedStreams(MAX_CONNECTIONS);
  readonly #posts = new BoundedStreams(MAX_POSTS);
  readonly #reviewRate: RateLimiter;
  readonly #kibRate: RateLimiter;

  private constructor(dependencies: AdmissionServerDependencies) {
    this.#dependencies = dependencies;
    this.#reviewRate = new RateLimiter(REVIEW_RATE, dependencies.timer);
    this.#kibRate = new RateLimiter(KIB_RATE, dependencies.timer);
    this.#reviews = dependencies.metrics.counter({
      name: 'evenkeel_admission_reviews_total',
      help: 'Admission reviews of pods, by outcome (sized, as-asked, unread, error, refused). Every pod is allowed.',
      labels: ['outcome'],
    });
    this.#seconds = dependencies.metrics.histogram({
      name: 'evenkeel_admission_seconds',
      help: 'Time from reading the complete request to its answer.',
      buckets: [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 1],
    });
    const { key, certificate } = dependencies.keyPair;
    const timeoutMs = dependencies.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    const options: ServerOptions = {
      key,
      cert: certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      connectionsCheckingInterval: timeoutMs / 4,
    };
    const handle = (request: IncomingMessage, response: ServerResponse): void => this.#onRequest(request, response);
    this.#server = createServer(options, boundPipelining(handle, refusalCounter(dependencies.metrics, 'admission')));
    this.#server.on('connection', (socket: Socket) => this.#connections.add(socket));
  }

  /** Starts listening. @throws Error where the address is in use */
  static async start(dependencies: AdmissionServerDependencies): Promise<AdmissionServer> {
    const server = new AdmissionServer(dependencies);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', (err) =>
        reject(new Error(`controller.admission.addr: cannot listen on port ${dependencies.listen.port}: ${err.message}`, { cause: err })),
      );
      server.#server.listen(dependencies.listen.port, dependencies.listen.host, resolve);
    });
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Applies to new connections; open connections keep the old certificate. */
  replaceCertificate({ key, certificate }: KeyPair): void {
    this.#server.setSecureContext({ key, cert: certificate, minVersion: 'TLSv1.2' });
  }

  /** Resolves when every connection is closed; keep-alive connections are closed after 500 ms. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
      // In-flight answers take milliseconds. Idle keep-alive connections must not delay the shutdown.
      setTimeout(() => this.#server.closeAllConnections(), 500).unref();
    });
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').split('?')[0];
    if (path !== '/mutate') {
      send(response, 404, { message: 'only POST /mutate' });
      return;
    }
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      send(response, 405, { message: 'only POST' });
      return;
    }
    this.#posts.add(request);
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('error', () => response.destroy());
    request.on('end', () => {
      if (bytes > MAX_BODY_BYTES) send(response, 413, { message: `more than ${MAX_BODY_BYTES} bytes` });
      else if (!this.#isAffordable(request, bytes)) send(response, 429, { message: 'too many reviews from this address' });
      else this.#answer(Buffer.concat(chunks).toString('utf8'), response);
    });
  }

  /** Any client that can reach the port may post, so a flood from one address must not delay the API server. */
  #isAffordable({ socket }: IncomingMessage, bytes: number): boolean {
    const client = addressGroup(socket.remoteAddress ?? '');
    if (this.#reviewRate.take(client) === null && this.#kibRate.take(client, bytes / 1024) === null) return true;
    this.#reviews.add(1, { outcome: 'refused' });
    return false;
  }

  #answer(text: string, response: ServerResponse): void {
    const began = performance.now();
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      send(response, 400, { message: 'an AdmissionReview in JSON is expected' });
      return;
    }
    try {
      const answer = answerReview(body, this.#dependencies.sizes);
      this.#reviews.add(1, { outcome: answer.outcome });
      send(response, 200, answer.body);
    } catch (err) {
      // With failurePolicy: Ignore the API server creates the pod unchanged.
      this.#reviews.add(1, { outcome: 'error' });
      this.#dependencies.logger.error('Failed to size a pod at creation; it is created unchanged', { err });
      send(response, 500, { message: 'internal error; the pod is created unchanged' });
    } finally {
      this.#seconds.observe((performance.now() - began) / 1000);
    }
  }
}

/** A bounded set of streams. Adding one more closes the oldest, so that slow clients cannot block the API server. */
class BoundedStreams {
  readonly #max: number;
  readonly #open = new Set<Readable>();

  constructor(max: number) {
    this.#max = max;
  }

  add(stream: Readable): void {
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    const [oldest] = this.#open;
    if (this.#open.size > this.#max) oldest?.destroy();
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
