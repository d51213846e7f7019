// The webhook's own HTTPS server: POST /mutate, answered from memory. Its certificate may be replaced while it serves.

import { createServer, type Server, type ServerOptions } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { DurationMs } from '#kube/units';
import type { SizesAtCreation } from '../../ports/sizes-at-creation.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Histogram, Metrics } from '../../ports/metrics.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { boundPipelining } from '../../runtime/clients/bound-pipelining.ts';
import { RateLimiter, type Rate } from '../../runtime/clients/rate-limit.ts';
import { refusalCounter } from '../../runtime/clients/refusals.ts';
import { answerReview } from './review.ts';

/** A review of a creation carries one object, of which etcd takes 1.5 MiB. */
const MOST_BYTES = 3 * 1024 * 1024;
/** The API server waits no longer for an answer. */
const REQUEST_TIMEOUT_MS = 2_000;
const MAX_POSTS = 64;
const MAX_CONNECTIONS = 256;
/** Of one address. An API server that creates 200 pods a second is a busy one; what it has beyond is created as it asks. */
const REVIEW_RATE: Rate = { perSecond: 200, burst: 1_000 };
/** Of one address, in KiB: parsing is what a post costs. The reviews above have a tenth of it. */
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
  /** A whole request is read within it; absent: 2 s. */
  readonly requestTimeoutMs?: DurationMs;
}

export class AdmissionServer {
  readonly #dependencies: AdmissionServerDependencies;
  readonly #server: Server;
  readonly #reviews: Counter;
  readonly #seconds: Histogram;
  readonly #connections = new OldestGivesWay(MAX_CONNECTIONS);
  readonly #posts = new OldestGivesWay(MAX_POSTS);
  readonly #reviewRate: RateLimiter;
  readonly #kibRate: RateLimiter;

  private constructor(dependencies: AdmissionServerDependencies) {
    this.#dependencies = dependencies;
    this.#reviewRate = new RateLimiter(REVIEW_RATE, dependencies.timer);
    this.#kibRate = new RateLimiter(KIB_RATE, dependencies.timer);
    this.#reviews = dependencies.metrics.counter({
      name: 'evenkeel_admission_reviews_total',
      help: 'Pods that admission was asked about, by outcome (sized, as-asked, unread, error, refused). All of them are allowed.',
      labels: ['outcome'],
    });
    this.#seconds = dependencies.metrics.histogram({
      name: 'evenkeel_admission_seconds',
      help: 'Time from the whole request to its answer.',
      buckets: [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 1],
    });
    const { key, certificate } = dependencies.keyPair;
    const within = dependencies.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    const options: ServerOptions = {
      key,
      cert: certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: within,
      headersTimeout: within,
      requestTimeout: within,
      connectionsCheckingInterval: within / 4,
    };
    const handle = (request: IncomingMessage, response: ServerResponse): void => this.#onRequest(request, response);
    this.#server = createServer(options, boundPipelining(handle, refusalCounter(dependencies.metrics, 'admission')));
    this.#server.on('connection', (socket: Socket) => this.#connections.add(socket));
  }

  /** @throws where the address is taken */
  static async start(dependencies: AdmissionServerDependencies): Promise<AdmissionServer> {
    const own = new AdmissionServer(dependencies);
    await new Promise<void>((resolve, reject) => {
      own.#server.once('error', (err) =>
        reject(new Error(`controller.admission.addr: cannot listen on port ${dependencies.listen.port}: ${err.message}`, { cause: err })),
      );
      own.#server.listen(dependencies.listen.port, dependencies.listen.host, resolve);
    });
    return own;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** For connections from now on; those that are open go on. */
  replaceCertificate({ key, certificate }: KeyPair): void {
    this.#server.setSecureContext({ key, cert: certificate, minVersion: 'TLSv1.2' });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
      // Answers under way take milliseconds; a connection that is kept alive would hold the stop for nothing.
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
      if (bytes <= MOST_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('error', () => response.destroy());
    request.on('end', () => {
      if (bytes > MOST_BYTES) send(response, 413, { message: `more than ${MOST_BYTES} bytes` });
      else if (!this.#isAffordable(request, bytes)) send(response, 429, { message: 'too many reviews from this address' });
      else this.#answer(Buffer.concat(chunks).toString('utf8'), response);
    });
  }

  /** Whoever reaches the port may post: a flood from one address must not keep the API server waiting. */
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
      // failurePolicy: Ignore makes the API server go on without us.
      this.#reviews.add(1, { outcome: 'error' });
      this.#dependencies.logger.error('A pod could not be sized at creation', { err });
      send(response, 500, { message: 'internal error; the pod is created as it asks' });
    } finally {
      this.#seconds.observe((performance.now() - began) / 1000);
    }
  }
}

/** A bounded number of streams. One more ends the oldest: a client that is slow on purpose keeps the API server from nothing. */
class OldestGivesWay {
  readonly #most: number;
  readonly #open = new Set<Readable>();

  constructor(most: number) {
    this.#most = most;
  }

  add(stream: Readable): void {
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    const [oldest] = this.#open;
    if (this.#open.size > this.#most) oldest?.destroy();
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
