// Clients that flood the dashboard from four addresses: connections that send nothing, streams that are not read, incomplete bodies,
// and requests without a pause. Another address requests all recommendations five times a second, before the flood and during it.
// Goals: it always gets a response, the event loop is never blocked for long, the heap stays flat, and the resources of the flood
// are released after it.
//
//   make bench BENCH=http-flood
//   node test/bench/http-flood.bench.ts [--record]

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { dashboardWorld } from '../builders/dashboard-world.ts';
import { startDashboard } from '../fakes/clients/dashboard-client.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

const MiB = 2 ** 20;
const PHASE_MS = 15_000;
const ASK_EVERY_MS = 200;
const MAX_GROWTH = 64 * MiB;
/**
 * Bound of the 99th percentile: three times the measured one. The longest single delay is only printed, because other processes of the
 * machine determine it.
 */
const MAX_LOOP_MS = 120;
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
/** Connections per address. */
const SILENT = 400;
const STREAMS = 130;
const BODIES = 20;
const ASKING = 20;
const ASK = 'GET /api/v1/recommendations HTTP/1.1\r\nHost: localhost\r\n\r\n';

interface Asked {
  readonly answered: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const [role, portText] = process.argv.slice(2);
const port = Number(portText);
if (role === 'flood') flood();
else if (role === 'ask') await askInTurn();
else await measure();

/** Floods the server until its parent ends it. */
function flood(): void {
  for (const address of ADDRESSES) {
    for (let count = 0; count < STREAMS; count += 1) unread(open(address, 'GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    for (let count = 0; count < BODIES; count += 1) open(address, body());
    for (let count = 0; count < ASKING; count += 1) askWithoutPause(address);
    for (let count = 0; count < SILENT; count += 1) open(address);
  }
}

function body(): string {
  const head = `PUT /api/v1/recommendations/shop/web/mode HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${MiB}\r\n\r\n`;
  return head + ' '.repeat(MiB - 1024);
}

function open(address: string, text = ''): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: address });
  socket.on('error', () => socket.destroy());
  socket.write(text);
  return socket;
}

function unread(socket: Socket): void {
  socket.pause();
}

function askWithoutPause(address: string): void {
  const socket = open(address, ASK);
  socket.on('data', () => socket.write(ASK));
  socket.on('close', () => {
    setTimeout(askWithoutPause, 100, address);
  });
}

async function askInTurn(): Promise<void> {
  const tookMs: number[] = [];
  let failed = 0;
  const endMs = performance.now() + PHASE_MS;
  while (performance.now() < endMs) {
    const startedMs = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/recommendations`).catch(() => null);
    const isAnswered = response?.status === 200 && (await response.text()) !== '';
    if (isAnswered) tookMs.push(performance.now() - startedMs);
    else failed += 1;
    await wait(ASK_EVERY_MS);
  }
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (ratio: number): number => Math.round(sorted[Math.floor(sorted.length * ratio)] ?? 0);
  const summary: Asked = { answered: sorted.length, failed, medianMs: at(0.5), p99Ms: at(0.99) };
  process.send?.(summary);
}

async function measure(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };
  const world = { ...dashboardWorld(), timer: new SystemTimer() };
  // The rate and the number of connections are the defaults.
  const server = await startDashboard(world, {
    rates: { address: { perSecond: 500, burst: 1000 }, credential: { perSecond: 200, burst: 400 } },
  });
  const asking = (): Promise<Asked> => partner('ask', server.port);
  // The first request creates caches, and is not measured.
  await asking();
  const before = heap();
  const quiet = await asking();
  const loop = monitorEventLoopDelay({ resolution: 10 });
  const attacker = fork(import.meta.filename, ['flood', String(server.port)]);
  loop.enable();
  const flooded = await asking();
  loop.disable();
  const during = heap() - before;
  attacker.kill('SIGKILL');
  await once(attacker, 'exit');
  const after = await asking();
  const remaining = heap() - before;
  const mostMs = (percentile: number): number => Math.round(loop.percentile(percentile) / 1e6);
  const figures = {
    quiet,
    flooded,
    after,
    during,
    left: remaining,
    loopP50Ms: mostMs(50),
    loopP99Ms: mostMs(99),
    loopMaxMs: Math.round(loop.max / 1e6),
  };
  console.log(JSON.stringify({ figure: 'http-flood', ...figures, mostGrowth: MAX_GROWTH, mostLoopMs: MAX_LOOP_MS }));
  const refused = (reason: string, kind: string): number => world.metrics.total('evenkeel_http_refused_total', { kind, reason });
  const counts = ['connection', 'request', 'body', 'stream'].map((kind) => [
    kind,
    ['client', 'total', 'displaced', 'slow'].map((reason) => refused(reason, kind)),
  ]);
  console.log(JSON.stringify({ figure: 'http-flood/refused', counts }));
  await server.close();
  const input = `${SILENT} silent connections, ${STREAMS} streams, ${BODIES} bodies and ${ASKING} without a pause from ${ADDRESSES.length} addresses`;
  const measured: Figure[] = [{ id: 'http-flood/loop/p99', value: figures.loopP99Ms, unit: 'milliseconds', input }];
  const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
  console.log(JSON.stringify({ figure: 'http-flood: regression-check', compared, notCompared, regressions }));
  const failed = quiet.failed + flooded.failed + after.failed > 0;
  if (failed || Math.max(during, remaining) > MAX_GROWTH || figures.loopP99Ms > MAX_LOOP_MS || regressions.length > 0) process.exitCode = 1;
  if (process.argv.includes('--record')) recordFigures(measured);
  process.exit();
}

async function partner(as: 'ask', ofPort: number): Promise<Asked> {
  const child = fork(import.meta.filename, [as, String(ofPort)]);
  const [summary] = (await once(child, 'message')) as [Asked];
  return summary;
}
