// CPU of the main thread per read of the dashboard API in a large cluster, by kind of read, while the cluster changes as it does at 100
// reads a second. A thread of its own is the client, so that its CPU is not counted. Goals: a read takes the time of its page, not of the
// cluster, with a 200 and with a 304, and none holds the main thread for more than 50 ms.
//
//   make bench BENCH=reads
//   node test/bench/reads.bench.ts [--nodes=5000] [--record]

import http from 'node:http';
import process from 'node:process';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { ClusterTotals } from '../../src/queries/cluster/totals.ts';
import { startDashboard } from '../fakes/clients/dashboard-client.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { LargeWorld } from './reads/large-world.ts';
import { LoopTicks } from './scale/measure/loop-ticks.ts';
import { percentile } from './scale/measure/percentile.ts';

interface Asked {
  readonly port: number;
  readonly path: string;
  readonly etag: string | null;
}

interface Received {
  readonly status: number;
  readonly etag: string | null;
  readonly nextCursor: string | null;
}

const READS = 24;
const MAX_HOLD_MS = 50;
const MIDDLE_PAGES = 20;

/** Paths by kind of read; `middle` is read from the page after 20 pages. */
const KINDS: readonly { readonly name: string; readonly path: string; readonly middle?: true }[] = [
  { name: 'cluster', path: '/cluster' },
  { name: 'nodes', path: '/nodes?limit=50' },
  { name: 'nodes/middle', path: '/nodes?limit=50', middle: true },
  { name: 'nodes/filtered', path: '/nodes?limit=50&capacityType=spot&phase=ready' },
  { name: 'nodes/sorted', path: '/nodes?limit=50&sort=-used.cpuMillicores' },
  { name: 'namespaces', path: '/namespaces?limit=50' },
  { name: 'namespaces/sorted', path: '/namespaces?limit=50&sort=-costPerMonthUsd' },
  { name: 'pods', path: '/pods?limit=50' },
  { name: 'pods/middle', path: '/pods?limit=50', middle: true },
  { name: 'pods/namespace', path: '/pods?limit=50&namespace=team-002' },
  { name: 'pods/filtered', path: '/pods?limit=50&phase=Pending' },
  { name: 'pods/searched', path: '/pods?limit=50&q=app-00017' },
  { name: 'pods/sorted', path: '/pods?limit=50&sort=-restarts' },
  { name: 'pods/sorted-by-usage', path: '/pods?limit=50&sort=-used.memoryBytes' },
  { name: 'recommendations', path: '/recommendations?limit=50' },
  { name: 'recommendations/middle', path: '/recommendations?limit=50', middle: true },
  { name: 'recommendations/sorted', path: '/recommendations?limit=50&sort=-name' },
  { name: 'recommendations/namespace', path: '/recommendations?limit=50&namespace=team-001' },
  { name: 'recommendations/filtered', path: '/recommendations?limit=50&state=recommended' },
  { name: 'recommendation', path: '/recommendations/{workload}' },
  { name: 'resource-audit', path: '/resource-audit?limit=50' },
  { name: 'resource-audit/middle', path: '/resource-audit?limit=50', middle: true },
  { name: 'resource-audit/filtered', path: '/resource-audit?limit=50&drift=none' },
  { name: 'limit-exceptions', path: '/limit-exceptions?limit=50' },
  { name: 'idle-workloads', path: '/idle-workloads?limit=50' },
  { name: 'overrides', path: '/overrides?limit=50' },
  { name: 'policies', path: '/policies?limit=50' },
  { name: 'health', path: '/health' },
];

if (isMainThread) await measure();
else serveClient();

/** The client's thread: sends one read at a time and reports its outcome. */
function serveClient(): void {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  parentPort?.on('message', ({ port, path, etag }: Asked) => {
    const headers = etag === null ? {} : { 'if-none-match': etag };
    http.get({ port, host: '127.0.0.1', path: `/api/v1${path}`, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        const cursor = /"nextCursor":"([^"]+)"/.exec(Buffer.concat(chunks).toString('utf8').slice(-4_000))?.[1] ?? null;
        const received: Received = { status: response.statusCode ?? 0, etag: response.headers.etag ?? null, nextCursor: cursor };
        parentPort?.postMessage(received);
      });
    });
  });
}

interface Costs {
  readonly ok: readonly number[];
  readonly unchanged: readonly number[];
}

async function measure(): Promise<void> {
  const nodes = Number(process.argv.find((argument) => argument.startsWith('--nodes='))?.slice('--nodes='.length) ?? 5_000);
  const size = { nodes, pods: nodes * 30, workloads: nodes * 4, namespaces: Math.ceil(nodes / 25) };
  const input = `${size.nodes} nodes, ${size.pods} pods, ${size.workloads} workloads, ${size.namespaces} namespaces`;
  const large = new LargeWorld(size);
  large.readAllUsage();
  const totals = await measureTotals(large);
  const server = await startDashboard(large.world);
  const client = new Worker(import.meta.filename);
  const ask = (path: string, etag: string | null): Promise<Received> =>
    new Promise((resolve) => {
      client.once('message', resolve);
      client.postMessage({ port: server.port, path, etag } satisfies Asked);
    });
  const costs = new Map<string, Costs>();
  for (const kind of KINDS) costs.set(kind.name, await costsOf(kind, large, ask));
  const mixed = await readMixed(large, ask);
  await client.terminate();
  await server.close();
  const measured: Figure[] = [
    { id: 'reads/totals/build/cpu', value: round(totals.buildMs), unit: 'cpuMilliseconds', input },
    { id: 'reads/totals/second/cpu', value: round(totals.secondMs), unit: 'cpuMilliseconds', input },
  ];
  console.log(JSON.stringify({ figure: 'reads/totals', ...totals }));
  for (const [name, { ok, unchanged }] of costs) {
    const line = { figure: `reads/${name}`, okMs: summaryOf(ok), unchangedMs: summaryOf(unchanged), unchanged: unchanged.length };
    console.log(JSON.stringify(line));
    measured.push({ id: `reads/${name}/cpu`, value: round(median(ok)), unit: 'cpuMilliseconds', input });
    if (unchanged.length > 0)
      measured.push({ id: `reads/${name}/unchanged/cpu`, value: round(median(unchanged)), unit: 'cpuMilliseconds', input });
  }
  console.log(JSON.stringify({ figure: 'reads/mixed', ...mixed, maxHoldMs: MAX_HOLD_MS }));
  measured.push({ id: 'reads/mixed/cpu', value: round(mixed.cpuMs), unit: 'cpuMilliseconds', input });
  measured.push({ id: 'reads/mixed/hold/longest', value: round(mixed.longestHoldMs), unit: 'cpuMilliseconds', input });
  const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
  console.log(JSON.stringify({ figure: 'reads: regression-check', compared, notCompared, regressions }));
  if (regressions.length > 0) process.exitCode = 1;
  if (process.argv.includes('--record')) recordFigures(measured);
}

type Ask = (path: string, etag: string | null) => Promise<Received>;

/** CPU of the first totals, and of keeping them up for a second of the cluster's time at 100 reads. */
async function measureTotals(large: LargeWorld): Promise<{ readonly buildMs: number; readonly secondMs: number }> {
  const totals = new ClusterTotals(large.world.sources);
  const buildMs = await cpuMsOf(() => totals.update());
  const seconds = 5;
  let changesMs = 0;
  for (let change = 0; change < seconds * 100; change += 1) {
    large.change();
    changesMs += await cpuMsOf(() => totals.update());
  }
  return { buildMs, secondMs: changesMs / seconds };
}

async function cpuMsOf(work: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** CPU of single reads of one kind: each after changes of the cluster, every second one with the ETag of the answer before. */
async function costsOf({ path, middle, name }: (typeof KINDS)[number], large: LargeWorld, ask: Ask): Promise<Costs> {
  const target = await pathOf(path.replace('{workload}', large.workloadPath(5)), middle === true, ask);
  const ok: number[] = [];
  const unchanged: number[] = [];
  let etag: string | null = null;
  for (let read = 0; read < 2 * READS; read += 1) {
    // The first reads of a kind build what later ones use.
    const isCounted = read >= 6;
    large.change();
    const before = process.threadCpuUsage();
    const received = await ask(target, read % 2 === 0 ? null : etag);
    const { user, system } = process.threadCpuUsage(before);
    if (received.status !== 200 && received.status !== 304) throw new Error(`${name}: ${target} answered ${received.status}`);
    ({ etag } = received);
    if (isCounted) (received.status === 304 ? unchanged : ok).push((user + system) / 1000);
  }
  return { ok, unchanged };
}

async function pathOf(path: string, isMiddle: boolean, ask: Ask): Promise<string> {
  let target = path;
  for (let page = 0; isMiddle && page < MIDDLE_PAGES; page += 1) {
    const { nextCursor } = await ask(target, null);
    if (nextCursor === null) break;
    target = `${path}&cursor=${nextCursor}`;
  }
  return target;
}

/** Reads of all kinds in turn, half of them conditional, through 20 s of the cluster’s time at 100 reads a second. */
async function readMixed(
  large: LargeWorld,
  ask: Ask,
): Promise<{ readonly reads: number; readonly cpuMs: number; readonly longestHoldMs: number }> {
  const etags = new Map<string, string | null>();
  const ticks = new LoopTicks();
  let lastMs = performance.now();
  let last = process.threadCpuUsage();
  let changesUs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(last);
    ticks.add(now - lastMs, (user + system) / 1000);
    lastMs = performance.now();
    last = process.threadCpuUsage();
  }, LoopTicks.INTERVAL_MS);
  const started = process.threadCpuUsage();
  const reads = 2_000;
  for (let read = 0; read < reads; read += 1) {
    const before = process.threadCpuUsage();
    large.change();
    const spent = process.threadCpuUsage(before);
    changesUs += spent.user + spent.system;
    const path = KINDS[read % KINDS.length]?.path.replace('{workload}', large.workloadPath(read)) ?? '/cluster';
    const { etag } = await ask(path, Math.floor(read / KINDS.length) % 2 === 1 ? (etags.get(path) ?? null) : null);
    etags.set(path, etag);
  }
  clearInterval(timer);
  const { user, system } = process.threadCpuUsage(started);
  return { reads, cpuMs: (user + system - changesUs) / 1000 / reads, longestHoldMs: ticks.report().holdMaxMs };
}

function summaryOf(values: readonly number[]): object {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: round(percentile(sorted, 0.5)), max: round(sorted.at(-1) ?? NaN) };
}

function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
