import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import { boundConnections } from './clients/bound-connections.ts';
import { boundPipelining } from './clients/bound-pipelining.ts';
import { type CountRefusal, refusalCounter } from './clients/refusals.ts';
import { parseListenAddress } from './listen-address.ts';

/** One thing that must hold; `message` says what is wrong when it does not. */
export interface ProbeCheck {
  readonly name: string;
  check(): { readonly ok: boolean; readonly message: string };
}

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** What `/healthz` and `/readyz` ask. */
export interface ProbeChecks {
  readonly healthz: readonly ProbeCheck[];
  readonly readyz: readonly ProbeCheck[];
}

/** Metrics as Prometheus scrapes them. */
export type ExposedMetrics = Metrics & { readonly contentType: string; expose(): Promise<string> };

/**
 * `/healthz` and `/readyz` as Kubernetes asks for them: 200 `ok`, or 503 with a line for each check that fails. With
 * `?verbose` every check is listed.
 */
export function startProbes(address: string, checks: ProbeChecks, metrics: Metrics): Promise<Listening> {
  return listen(address, refusalCounter(metrics, 'probes'), (path, verbose) => answerProbe(checks, path, verbose) ?? NOT_FOUND);
}

/** `/metrics` for Prometheus, on an address of its own. What is answered is up to a second old. */
export function startMetricsEndpoint(address: string, metrics: ExposedMetrics, timer: MachineTimer): Promise<Listening> {
  const rendered = renderedMetrics(metrics, timer);
  return listen(address, refusalCounter(metrics, 'metrics'), (path) => (path === '/metrics' ? rendered() : NOT_FOUND));
}

/** `/healthz`, `/readyz` and `/metrics`, all at one address. */
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

/** undefined: it is no probe. */
function answerProbe(checks: ProbeChecks, path: string, verbose: boolean): Answer | undefined {
  if (path !== '/healthz' && path !== '/readyz') return undefined;
  const results = (path === '/healthz' ? checks.healthz : checks.readyz).map((each) => ({ name: each.name, ...each.check() }));
  const failing = results.filter((result) => !result.ok);
  const shown = verbose ? results : failing;
  const lines = shown.map((result) => `[${result.ok ? '+' : '-'}]${result.name} ${result.ok ? 'ok' : result.message}`);
  const summary = failing.length === 0 ? 'ok' : `${path.slice(1)} check failed`;
  return { status: failing.length === 0 ? 200 : 503, type: PLAIN_TEXT, body: [...lines, summary, ''].join('\n') };
}

function renderedMetrics(metrics: ExposedMetrics, timer: MachineTimer): () => Promise<Answer> {
  const rendered = atMostEvery(RENDER_EVERY_MS, timer, () => metrics.expose());
  return async () => ({ status: 200, type: metrics.contentType, body: await rendered() });
}

/** Rendering takes tens of milliseconds of the event loop, and no Prometheus scrapes more often. */
const RENDER_EVERY_MS: DurationMs = 1000;

/** What `make` returns, shared by all that ask within `everyMs` of machine time, a failure like a success. */
function atMostEvery<Made>(everyMs: DurationMs, timer: MachineTimer, make: () => Promise<Made>): () => Promise<Made> {
  let last: { readonly atMs: number; readonly made: Promise<Made> } | null = null;
  return () => {
    const atMs = timer.nowMs();
    if (last === null || atMs - last.atMs >= everyMs) last = { atMs, made: make() };
    return last.made;
  };
}

/** A kubelet or a Prometheus has one or two: a quarter of these, which one address has, is plenty. */
const MAX_CONNECTIONS = 64;
/** How often Node.js compares open requests with their deadline. */
const DEADLINE_CHECK_MS: DurationMs = 5000;
/** A connection over which nothing goes, because its client does not read, is closed. */
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
  // A probe that never ends its request must not hold a socket for ever.
  server.requestTimeout = 10_000;
  server.timeout = IDLE_MS;
  boundConnections(server, { maxConnections: MAX_CONNECTIONS, refused });
  await started(server, at.host, at.port, address);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function started(server: Server, host: string | undefined, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`listening on ${address}: ${cause.message}`, { cause })));
    server.listen(port, host, () => resolve());
  });
}
