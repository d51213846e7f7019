// Cost of a compromised node: pages of the largest size that is accepted for a node of 110 pods, with pods of other nodes, with ever
// new invented containers, and with JSON of mostly empty objects. Goals: the heap stays flat, and a page blocks the event loop for
// at most 50 ms of CPU time. An honest page of the same node is measured too.
//
//   make bench BENCH=usage-flood
//   node test/bench/usage-flood.bench.ts [--record]

import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { generate } from 'selfsigned';
import { NodeCounters } from '../../src/adapters/kubelet/pages/node-counters.ts';
import { ContainerLabels, type MetricColumns } from '../../src/adapters/kubelet/pages/metric-columns.ts';
import { pageBounds, type PageName } from '../../src/adapters/kubelet/pages/page-bounds.ts';
import { readStatsSummary } from '../../src/adapters/kubelet/pages/stats-summary.ts';
import { ThreadPageReader } from '../../src/adapters/kubelet/pages/thread-page-reader.ts';
import type { PageBounds } from '#kube/kubelet/kubelet-pages';
import type { ReportFault } from '#kube/records/pod';
import { MINUTE_MS } from '#kube/units';
import { SILENT_LOGGER } from '../../src/runtime/logging.ts';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { aNodeRecord } from '../builders/records.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

const PODS = 110;
const PAGES = 40;
const MiB = 2 ** 20;
const MAX_GROWTH = 16 * MiB;
const MAX_HOLD_MS = 50;
const { signal } = new AbortController();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A page of `/metrics/resource` whose container names differ by `round`. */
function metricsPage(round: number, bytes: number): string {
  return filled(bytes, '', (at) => {
    const labels = `container="c${round}-${at}",namespace="shop",pod="web-${at % PODS}"`;
    return `container_memory_working_set_bytes{${labels}} 1000000 ${round * MINUTE_MS + 1}\n`;
  });
}

/** A page of `/metrics/cadvisor` with the same containers. */
function countersPage(round: number, bytes: number): string {
  return filled(bytes, '# TYPE container_oom_events_total counter\n', (at) => {
    return `container_oom_events_total{container="c${round}-${at}",id="/k/${at}",namespace="shop",pod="web-${at % PODS}"} 1\n`;
  });
}

/** A page of `/stats/summary` with as many empty pods as fit into its bytes. */
function summaryPage(_round: number, bytes: number): string {
  return `${filled(bytes - 100, '{"pods":[{}', () => ',{}')}]}`;
}

/** A page of `/stats/summary` with one pod of fields that are not read. */
function unreadPage(_round: number, bytes: number): string {
  return `${filled(bytes - 100, '{"pods":[{"podRef":{"name":"a","namespace":"b"},"other":[{}', () => ',{}')}]}]}`;
}

function filled(bytes: number, head: string, line: (at: number) => string): string {
  const lines = [head];
  for (let [length, at] = [head.length, 0]; ; at += 1) {
    const next = line(at);
    length += next.length;
    // A flat string, as from the network.
    if (length > bytes) return Buffer.from(lines.join('')).toString();
    lines.push(next);
  }
}

interface Flood {
  readonly page: PageName;
  readonly write: (round: number, bytes: number) => string;
  readonly fault: ReportFault | null;
  /** Size of the page; the maximum when left out. */
  readonly bytes?: number;
}

const FLOODS: Readonly<Record<string, Flood>> = {
  foreign: { page: 'metrics', write: metricsPage, fault: 'foreign-pod' },
  invented: { page: 'metrics', write: metricsPage, fault: null },
  // As many containers as are accepted.
  accepted: { page: 'metrics', write: metricsPage, fault: null, bytes: 360_000 },
  counters: { page: 'counters', write: countersPage, fault: null },
  emptyPods: { page: 'summary', write: summaryPage, fault: null },
  unreadFields: { page: 'summary', write: unreadPage, fault: null },
  honest: { page: 'metrics', write: (_, bytes) => metricsPage(0, bytes), fault: null, bytes: 60_000 },
};

interface Measured {
  readonly growth: number;
  readonly longestHoldMs: number;
  readonly refusedPages: number;
}

interface KubeletData {
  readonly key: string;
  readonly cert: string;
}

/** The kubelet, in a separate thread: it writes a new page for each request. Posts its port. */
function serve({ key, cert }: KubeletData): void {
  let round = 0;
  let flood = FLOODS['honest'];
  parentPort?.on('message', (name: string) => {
    round = 0;
    flood = FLOODS[name];
    parentPort?.postMessage(name);
  });
  const server = https.createServer({ key, cert }, (_, response) => {
    round += 1;
    response.end(flood?.write(round, Math.min(flood.bytes ?? Infinity, boundsOf(flood.page).maxBytes)));
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
}

function boundsOf(page: PageName): PageBounds {
  return pageBounds(page, Array.from({ length: PODS }));
}

async function ask<T>(kubelet: Worker, request?: string): Promise<T> {
  if (request !== undefined) kubelet.postMessage(request);
  return await new Promise((resolve) => kubelet.once('message', (reply: T) => resolve(reply)));
}

async function measure({ page, fault }: Flood, port: number, ca: string): Promise<Measured> {
  const reach = { server: 'https://x', tls: { verify: true, ca }, addresses: { port: null, loopback: true } };
  const reader = new ThreadPageReader(
    { reach, headers: async () => ({}) },
    { timer: new SystemTimer(), logger: SILENT_LOGGER, metrics: NO_METRICS },
  );
  const node = aNodeRecord({ name: 'n1', internalIp: '127.0.0.1', kubeletPort: port });
  const counters = new NodeCounters('n1', 3 * MINUTE_MS, (names) => fault ?? names);
  const labels = new ContainerLabels();
  const before = heap();
  let [longestHoldMs, refusedPages] = [0, 0];
  for (let round = 1; round <= PAGES; round++) {
    const isMet = watchLoop();
    try {
      const content = await reader.read(page, node, { ...boundsOf(page), known: labels.known('n1') }, signal);
      if (page === 'metrics') counters.read(labels.resolve('n1', content as MetricColumns), round * MINUTE_MS);
      if (page === 'summary') readStatsSummary('n1', JSON.parse(content as string), round * MINUTE_MS);
    } catch {
      refusedPages += 1;
    }
    const longestHold = await isMet.end();
    // The first pages run code that is not compiled yet.
    if (round > PAGES / 4) longestHoldMs = Math.max(longestHoldMs, longestHold);
  }
  const growth = heap() - before;
  await reader.stop();
  return { growth, longestHoldMs: Math.round(longestHoldMs * 10) / 10, refusedPages };
}

/** Longest turn of the event loop, in CPU time of this thread: other processes on the machine do not count. */
function watchLoop(): { end(): Promise<number> } {
  let [last, longest, isEnded] = [threadCpuMs(), 0, false];
  const turn = (): void => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isEnded) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    end: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      isEnded = true;
      return longest;
    },
  };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function run(): Promise<void> {
  const made = await generate([{ name: 'commonName', value: 'n1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const kubelet = new Worker(import.meta.filename, { workerData: { key: made.private, cert: made.cert } satisfies KubeletData });
  const port = await ask<number>(kubelet);
  const input = `${PAGES} pages, ${PODS} pods`;
  const measured: Figure[] = [];
  let isOver = false;
  for (const [name, flood] of Object.entries(FLOODS)) {
    await ask(kubelet, name);
    const of = await measure(flood, port, made.cert);
    console.log(JSON.stringify({ figure: `usage-flood/${name}`, ...of }));
    measured.push({ id: `usage-flood/${name}/longestHold`, value: Math.max(1, Math.round(of.longestHoldMs)), unit: 'milliseconds', input });
    isOver ||= of.growth > MAX_GROWTH || of.longestHoldMs > MAX_HOLD_MS;
  }
  await kubelet.terminate();
  const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
  console.log(JSON.stringify({ figure: 'usage-flood: regression-check', compared, notCompared, regressions }));
  if (regressions.length > 0 || isOver) process.exitCode = 1;
  if (process.argv.includes('--record')) recordFigures(measured);
}

if (isMainThread) await run();
else serve(workerData as KubeletData);
