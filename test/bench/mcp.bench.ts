// Calls of MCP tools in a large cluster, while it changes as it does at 100 reads a second: time until the answer, CPU of the main thread,
// and bytes. A thread of its own is the client. Goals: p99 below 100 ms, and answers of 8 KiB at most without a limit.
//
//   make bench BENCH=mcp
//   node test/bench/mcp.bench.ts [--nodes=5000] [--record]

import http from 'node:http';
import process from 'node:process';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { TOOLS } from '../../src/server/mcp/tools/index.ts';
import { startDashboard } from '../fakes/clients/dashboard-client.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { LargeWorld } from './reads/large-world.ts';
import { percentile } from './scale/measure/percentile.ts';

interface Call {
  readonly port: number;
  readonly name: string;
  readonly given: object;
}

interface Received {
  readonly ms: number;
  /** Bytes of the answer's JSON. */
  readonly bytes: number;
  readonly isError: boolean;
}

const CALLS = 100;
/** The first calls build what later ones use. */
const WARM_UP = 5;
const GOAL_MS = 100;
const GOAL_BYTES = 8 * 1024;

if (isMainThread) await measure();
else serveClient();

/** The client's thread: sends one call at a time, as clients of 2025-11-25 do. */
function serveClient(): void {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  parentPort?.on('message', ({ port, name, given }: Call) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });
    const startedMs = performance.now();
    const request = http.request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        const ms = performance.now() - startedMs;
        const data = /^data: (.*)$/m.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? '{}';
        const { result } = JSON.parse(data) as { readonly result?: { readonly isError?: boolean; readonly structuredContent?: object } };
        const bytes = Buffer.byteLength(JSON.stringify(result?.structuredContent ?? null));
        parentPort?.postMessage({ ms, bytes, isError: result === undefined || result.isError === true } satisfies Received);
      });
    });
    request.end(body);
  });
}

async function measure(): Promise<void> {
  const nodes = Number(process.argv.find((argument) => argument.startsWith('--nodes='))?.slice('--nodes='.length) ?? 5_000);
  const size = { nodes, pods: nodes * 30, workloads: nodes * 4, namespaces: Math.ceil(nodes / 25) };
  const input = `${size.nodes} nodes, ${size.pods} pods, ${size.workloads} workloads, ${size.namespaces} namespaces`;
  const large = new LargeWorld(size);
  large.readAllUsage();
  const server = await startDashboard(large.world);
  const client = new Worker(import.meta.filename);
  const call = (name: string, given: object): Promise<Received> =>
    new Promise((resolve) => {
      client.once('message', resolve);
      client.postMessage({ port: server.port, name, given } satisfies Call);
    });
  const figures: Figure[] = [];
  for (const { name, required } of TOOLS) {
    const ms: number[] = [];
    const cpu: number[] = [];
    let maxBytes = 0;
    for (let count = 0; count < WARM_UP + CALLS; count += 1) {
      const [namespace, workload] = large.workloadPath(count).split('/');
      large.change();
      const before = process.threadCpuUsage();
      const received = await call(name, required.length === 0 ? {} : { namespace, name: workload });
      const { user, system } = process.threadCpuUsage(before);
      if (received.isError && name !== 'get_scheduled_scale') throw new Error(`${name} failed`);
      if (count < WARM_UP) continue;
      ms.push(received.ms);
      cpu.push((user + system) / 1000);
      maxBytes = Math.max(maxBytes, received.bytes);
    }
    const p99 = percentile(ms.toSorted(ascending), 0.99);
    const line = { figure: `mcp/${name}`, p50Ms: round(percentile(ms.toSorted(ascending), 0.5)), p99Ms: round(p99), maxBytes };
    console.log(JSON.stringify({ ...line, isMet: p99 < GOAL_MS && maxBytes <= GOAL_BYTES }));
    figures.push(
      { id: `mcp/${name}/p99`, value: round(p99), unit: 'loadedMilliseconds', input },
      { id: `mcp/${name}/cpu`, value: round(percentile(cpu.toSorted(ascending), 0.5)), unit: 'cpuMilliseconds', input },
      { id: `mcp/${name}/bytes`, value: maxBytes, unit: 'bytes', input },
    );
  }
  await client.terminate();
  await server.close();
  const { regressions, compared, notCompared } = compareFigures(figures, readRecordedFigures());
  console.log(JSON.stringify({ figure: 'mcp: regression-check', compared, notCompared, regressions }));
  if (regressions.length > 0) process.exitCode = 1;
  if (process.argv.includes('--record')) recordFigures(figures);
}

function ascending(a: number, b: number): number {
  return a - b;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
