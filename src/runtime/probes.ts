import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import { boundConnections } from './clients/bound-connections.ts';
import { boundPipelining } from './clients/bound-pipelining.ts';
import { type CountRefusal, refusalCounter } from './clients/refusals.ts';
import { parseListenAddress } from './listen-address.ts';

/** A check of a probe; `message` is the reason of a failure. */
export interface ProbeCheck {
  readonly name: string;
  check(): { readonly ok: boolean; readonly message: string };
}

/** A server that listens on `port`. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** The checks of `/healthz` and `/readyz`. */
export interface ProbeChecks {
  readonly healthz: readonly ProbeCheck[];
  readonly readyz: readonly ProbeCheck[];
}

/** Metrics with their text format. */
export type ExposedMetrics = Metrics & { readonly contentType: string; expose(): Promise<string> };

/**
 * Serves `/healthz` and `/readyz` as Kubernetes components do: 200 `ok`, or 503 with a line for each failing check. With `?verbose` every
 * check is listed.
 */
export function startProbes(address: string, checks: ProbeChecks, metrics: Metrics): Promise<Listening> {
  return listen(address, refusalCounter(metrics, 'probes'), (path, verbose) => answerProbe(checks, path, verbose) ?? NOT_FOUND);
}

/** Serves `/metrics` on a separate address. A response is up to one second old. */
export function startMetricsEndpoint(address: string, metrics: ExposedMetrics, timer: MachineTimer): Promise<Listening> {
  const rendered = renderedMetrics(metrics, timer);
  return listen(address, refusalCounter(metrics, 'metrics'), (path) => (path === '/metrics' ? rendered() : NOT_FOUND));
}

/** Serves `/healthz`, `/readyz` and `/metrics` on one address. */
export function startProbesAndMetrics(
  address: string,
  checks: ProbeChecks,
  metrics: ExposedMetrics,
  timer: MachineTimer,
): Promise<Listening> {
  const rendered = renderedMetrics(metrics, timer);
  return listen(address, refusalCounter(metrics, 'probes'), (path, verbose) => {
    return path === '/metrics' ? rendered() : (answerProbe(checks, path, verbose) ?? NOT_FOUND);
  });
}

/** undefined where the path is no probe. */
function answerProbe(checks: ProbeChecks, path: string, verbose: boolean): Answer | undefined {
  if (path !== '/healthz' && path !== '/readyz') return undefined;
  const results = (path === '/healthz' ? checks.healthz : checks.readyz).map((probe) => ({ name: probe.name, ...probe.check() }));
  const failing = results.filter((result) => !result.ok);
  const shown = verbose ? results : failing;
  const lines = shown.map((result) => `[${result.ok ? '+' : '-'}]${result.name} ${result.ok ? 'ok' : result.message}`);
  const summary = failing.length === 0 ? 'ok' : `${path.slice(1)} check failed`;
  return { status: failing.length === 0 ? 200 : 503, type: PLAIN_TEXT, body: [...lines, summary, ''].join('\n') };
}

function renderedMetrics(metrics: ExposedMetrics, timer: MachineTimer): () => Promise<Answer> {
  const rendered = cached(RENDER_INTERVAL_MS, timer, () => metrics.expose());
  return async () => ({ status: 200, type: metrics.contentType, body: await rendered() });
}

/** Rendering blocks the event loop for tens of milliseconds, and Prometheus does not scrape more often. */
const RENDER_INTERVAL_MS: DurationMs = 1000;

/** Calls `create` at most once per interval of machine time and shares its result, also a failure. */
function cached<Result>(intervalMs: DurationMs, timer: MachineTimer, create: () => Promise<Result>): () => Promise<Result> {
  let last: { readonly atMs: number; readonly result: Promise<Result> } | null = null;
  return () => {
    const atMs = timer.nowMs();
    if (last === null || atMs - last.atMs >= intervalMs) last = { atMs, result: create() };
    return last.result;
  };
}

/** One address gets a quarter of these; a kubelet or a Prometheus opens one or two. */
const MAX_CONNECTIONS = 64;
/** How often Node.js compares open requests with their deadline. */
const DEADLINE_CHECK_MS: DurationMs = 5000;
/** A connection without traffic for this long is closed. */
const IDLE_MS: DurationMs = 60_000;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const NOT_FOUND: Answer = { status: 404, type: PLAIN_TEXT, body: 'not found\n' };

async function listen(
  address: string,
  refused: CountRefusal,
  answer: (path: string, verbose: boolean) => Answer | Promise<Answer>,
): Promise<Listening> {
  const at = parseListenAddress(address);
  if (at === undefined) throw new Error(`cannot listen on "${address}": expected host:port or :port`);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const [path = '/', query = ''] = (request.url ?? '/').split('?');
    const send = ({ status, type, body }: Answer): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      send({ status: 405, type: PLAIN_TEXT, body: 'only GET\n' });
      return;
    }
    Promise.resolve(answer(path, query.split('&').includes('verbose')))
      .then(send)
      .catch(() => send({ status: 500, type: PLAIN_TEXT, body: 'internal error\n' }));
  };
  const server = createServer({ connectionsCheckingInterval: DEADLINE_CHECK_MS }, boundPipelining(handle, refused));
  // A client that never ends its request must not occupy a socket for ever.
  server.requestTimeout = 10_000;
  server.timeout = IDLE_MS;
  boundConnections(server, { maxConnections: MAX_CONNECTIONS, refused });
  await listenOn(server, at.host, at.port, address);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @throws where the address is in use or cannot be bound */
function listenOn(server: Server, host: string | undefined, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`listening on ${address}: ${cause.message}`, { cause })));
    server.listen(port, host, () => resolve());
  });
}
