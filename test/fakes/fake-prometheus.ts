import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** One request as it came. */
export interface PrometheusRequest {
  /** `query`, `query_range`, `labels`, `series` or `label/NAME/values`. */
  readonly kind: string;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** What is answered: data of a success, or anything else as status and text. */
export type PrometheusReply =
  | { readonly data: unknown; readonly warnings?: readonly string[] }
  | { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection ends without an answer, or in the middle of one. */
  | { readonly cut: 'before' | 'inside' }
  /** Never answered. */
  | { readonly hang: true };

export type PrometheusRule = (request: PrometheusRequest) => PrometheusReply | undefined | Promise<PrometheusReply | undefined>;

/** A Prometheus server on loopback. The first rule that returns a reply decides; without one the result is empty. */
export class FakePrometheus {
  readonly requests: PrometheusRequest[] = [];
  /** Most that were under way at once. */
  maxInFlight = 0;
  readonly #server: Server;
  readonly #rules: PrometheusRule[] = [];
  #inFlight = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<FakePrometheus> {
    const fake = new FakePrometheus();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Rules given later are asked first. */
  on(rule: PrometheusRule): void {
    this.#rules.unshift(rule);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.#inFlight);
    response.on('close', () => (this.#inFlight -= 1));
    let body = '';
    for await (const part of request) body += String(part);
    const url = new URL(request.url ?? '', this.url);
    const kind = url.pathname.replace(/^.*\/api\/v1\//, '');
    const form = request.method === 'GET' ? url.searchParams : new URLSearchParams(body);
    const asked: PrometheusRequest = { kind, form, headers: request.headers };
    this.requests.push(asked);
    let reply: PrometheusReply | undefined;
    for (const rule of this.#rules) if ((reply = await rule(asked)) !== undefined) break;
    send(response, reply ?? { data: EMPTY[kind] ?? [] });
  }
}

const EMPTY: Readonly<Record<string, unknown>> = {
  query: { resultType: 'vector', result: [] },
  query_range: { resultType: 'matrix', result: [] },
  labels: [],
  series: [],
};

function send(response: ServerResponse, reply: PrometheusReply): void {
  if ('hang' in reply) return;
  if ('cut' in reply) {
    if (reply.cut === 'inside') {
      response.writeHead(200, { 'content-length': '100000' });
      response.write('{"status":"success","data":');
    }
    setImmediate(() => response.destroy());
    return;
  }
  if ('status' in reply) {
    response.writeHead(reply.status, reply.headers ?? {});
    response.end(reply.text);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  response.end(gzipSync(JSON.stringify({ status: 'success', ...reply })));
}

/** Answers range queries whose text matches with `valueAt` for each series, at each step; null: a gap. */
export function rangeOf(
  matches: RegExp,
  series: readonly (readonly [labels: Readonly<Record<string, string>>, valueAt: (second: number) => number | string | null])[],
): PrometheusRule {
  return ({ kind, form }) => {
    if (kind !== 'query_range' || !matches.test(form.get('query') ?? '')) return undefined;
    const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(form.get(name))) as [number, number, number];
    const result = series.map(([metric, valueAt]) => {
      const values: [number, string][] = [];
      for (let second = start; second <= end; second += step) {
        const value = valueAt(second);
        if (value !== null) values.push([second, String(value)]);
      }
      return { metric, values };
    });
    return { data: { resultType: 'matrix', result: result.filter(({ values }) => values.length > 0) } };
  };
}

/** Says which labels series of a matching selector have. */
export function labelsOf(matches: RegExp, ...names: readonly string[]): PrometheusRule {
  return ({ kind, form }) => (kind === 'labels' && matches.test(form.get('match[]') ?? '') ? { data: ['__name__', ...names] } : undefined);
}

/** Answers which series there are. */
export function seriesOf(matches: RegExp, series: readonly Readonly<Record<string, string>>[]): PrometheusRule {
  return ({ kind, form }) => (kind === 'series' && matches.test(form.get('match[]') ?? '') ? { data: series } : undefined);
}
