// Clients of the dashboard's API: reads at a steady rate, half of them conditional, and an event stream.

import http from 'node:http';
import { percentile } from './percentile.ts';

export interface ReadFigures {
  readonly reads: number;
  readonly failed: number;
  /** Reads that wait for a connection or their answer when the clients stop: more than a few grow without bound. */
  readonly unanswered: number;
  readonly ok: LatencyFigures;
  readonly unchanged: LatencyFigures;
  /** p99 of the 200s of each path. */
  readonly p99MsByPath: Readonly<Record<string, number>>;
  readonly streamEvents: number;
  readonly streamEnds: number;
}

export interface LatencyFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const LIST_PATHS = [
  '/recommendations?limit=50',
  '/recommendations?limit=50&sort=-name',
  '/cluster',
  '/nodes?limit=50',
  '/namespaces?limit=50',
  '/pods?limit=50',
  '/resource-audit?limit=50',
  '/recommendations?limit=50&namespace=team-001',
  '/pods?limit=50&namespace=team-002',
  '/health',
];
const OK = 200;
const NOT_MODIFIED = 304;

export class DashboardClients {
  readonly #origin: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
  readonly #paths: readonly string[];
  readonly #etags = new Map<string, string>();
  readonly #okMs = new Map<string, number[]>();
  readonly #unchangedMs: number[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sent = 0;
  #failed = 0;
  #streamEvents = 0;
  #streamEnds = 0;
  #isStopped = false;

  /** @param workloads paths of single workloads: `team-001/api-00001` */
  constructor(origin: string, workloads: readonly string[]) {
    this.#origin = origin;
    const singles = workloads.map((workload) => `/recommendations/${workload}`);
    // As many reads of single workloads as of lists.
    this.#paths = LIST_PATHS.flatMap((path, index) => [path, singles[index % singles.length] ?? path]);
  }

  start(perSecond: number): void {
    this.#follow();
    const startedMs = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - startedMs) / 1000) * perSecond;
      while (this.#sent < due) this.#read();
    }, 5);
  }

  stop(): ReadFigures {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#agent.destroy();
    const ok = [...this.#okMs.values()].flat();
    const p99MsByPath = Object.fromEntries([...this.#okMs].map(([path, times]) => [path, percentile(sorted(times), 0.99)]));
    const reads = ok.length + this.#unchangedMs.length;
    return {
      reads,
      failed: this.#failed,
      unanswered: this.#sent - reads - this.#failed,
      ok: latencyFigures(ok),
      unchanged: latencyFigures(this.#unchangedMs),
      p99MsByPath,
      streamEvents: this.#streamEvents,
      streamEnds: this.#streamEnds,
    };
  }

  #read(): void {
    const path = this.#paths[this.#sent % this.#paths.length] ?? '/cluster';
    const round = Math.floor(this.#sent / this.#paths.length);
    this.#sent += 1;
    const etag = round % 2 === 1 ? this.#etags.get(path) : undefined;
    const startedMs = performance.now();
    const headers = etag === undefined ? {} : { 'if-none-match': etag };
    const request = http.get(`${this.#origin}/api/v1${path}`, { agent: this.#agent, headers }, (response) => {
      const { statusCode = 0, headers: received } = response;
      if (received.etag !== undefined) this.#etags.set(path, received.etag);
      response.resume().once('end', () => this.#record(path, statusCode, performance.now() - startedMs));
    });
    request.once('error', () => this.#fail());
  }

  #record(path: string, status: number, ms: number): void {
    if (status === NOT_MODIFIED) this.#unchangedMs.push(ms);
    else if (status !== OK) this.#fail();
    else {
      const times = this.#okMs.get(path) ?? [];
      times.push(ms);
      this.#okMs.set(path, times);
    }
  }

  #fail(): void {
    if (!this.#isStopped) this.#failed += 1;
  }

  /** One client follows all topics; a stream that ends is opened again. */
  #follow(): void {
    if (this.#isStopped) return;
    const request = http.get(`${this.#origin}/api/v1/stream`, { headers: { accept: 'text/event-stream' } }, (response) => {
      response.on('data', (chunk: Buffer) => {
        this.#streamEvents += chunk.toString('latin1').split('\nevent: ').length - 1;
      });
      response.once('close', () => this.#reopen());
    });
    request.once('error', () => this.#reopen());
  }

  #reopen(): void {
    if (this.#isStopped) return;
    this.#streamEnds += 1;
    setTimeout(() => this.#follow(), 1_000);
  }
}

function latencyFigures(times: readonly number[]): LatencyFigures {
  const all = sorted(times);
  return { count: all.length, p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99), maxMs: all.at(-1) ?? NaN };
}

function sorted(times: readonly number[]): readonly number[] {
  return times.toSorted((a, b) => a - b);
}
