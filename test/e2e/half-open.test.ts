// Ten thousand connections whose requests never arrive: the controller answers others meanwhile, and closes them.

import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MiB } from '#kube/units';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { startConstantCluster } from './constant-cluster.ts';
import { startController, type Controller } from './controller-process.ts';
import { TestFixture } from './processes.ts';

const SOCKETS = 10_000;
/** Opened before other clients are answered once more. */
const BATCH = 500;
/** All of 127.0.0.0/8 is this machine; one address gets a quarter of the connections. */
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
const MAX_CONNECTIONS = 16_000;
/** What is sent, and then nothing more. */
const BEGINNINGS = [
  '',
  'GET /api/v1/mo',
  'GET /api/v1/mode HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  'PUT /api/v1/recommendations/shop/web/mode HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
];
/** Of a socket, with its parser and its timers. */
const MAX_BYTES_PER_SOCKET = 32 * 1024;

let fixture: TestFixture;
beforeEach(() => {
  fixture = new TestFixture();
});
afterEach(() => fixture.tearDown());

test(
  'ten thousand half-open connections are closed, and meanwhile other clients and probes are answered, and memory is bounded',
  async () => {
    const workload = { kind: 'Deployment', name: 'web', replicas: 1 } as const;
    const containers = [{ name: 'app', resources: { requests: { cpu: '1' } }, uses: { cpuMillicores: 100, memoryMib: 100 } }];
    const { demo } = await startConstantCluster(fixture, 'half-open', [{ ...workload, containers }], 1);
    const controller = await startController(fixture, {
      'kubernetes.kubeconfig': demo.kubeconfig,
      'dashboard.maxConnections': String(MAX_CONNECTIONS),
      // Opening all of them is one burst.
      'rateLimit.burst': '1000000',
    });
    const before = await metric(controller, 'process_resident_memory_bytes');
    const sockets: Socket[] = [];
    fixture.addCleanup(() => sockets.forEach((socket) => socket.destroy()));
    const port = Number(new URL(controller.dashboard).port);
    let [closed, mostOpen, mostBytes] = [0, 0, 0];
    while (sockets.length < SOCKETS) {
      const batch = Array.from({ length: BATCH }, (_, index) => openSocket(port, sockets.length + index, () => (closed += 1)));
      sockets.push(...batch.map(({ socket }) => socket));
      await Promise.all(batch.map(({ opened }) => opened));
      expect((await fetch(`${controller.dashboard}/api/v1/mode`)).status).toBe(200);
      expect((await fetch(`${controller.probes}/healthz`)).status).toBe(200);
      mostOpen = Math.max(mostOpen, await metric(controller, 'evenkeel_http_half_open_connections'));
      mostBytes = Math.max(mostBytes, await metric(controller, 'process_resident_memory_bytes'));
    }
    expect(mostOpen).toBeGreaterThan(SOCKETS / 4);
    expect(mostBytes - before).toBeLessThan(SOCKETS * MAX_BYTES_PER_SOCKET + 128 * MiB);
    await eventually('every connection is closed: its deadline has passed', HANG_MS, () => closed === SOCKETS);
    expect(await metric(controller, 'evenkeel_http_half_open_connections')).toBe(0);
    expect((await fetch(`${controller.dashboard}/api/v1/mode`)).status).toBe(200);
    expect((await fetch(`${controller.probes}/readyz`)).status).toBe(200);
  },
  HANG_TEST_MS,
);

function openSocket(port: number, index: number, onClosed: () => void): { readonly socket: Socket; readonly opened: Promise<void> } {
  const localAddress = ADDRESSES[index % ADDRESSES.length]!;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined).once('close', onClosed);
  // The answer is read, or the end of the connection would not arrive.
  socket.resume();
  const opened = new Promise<void>((resolve) => socket.once('close', resolve).once('connect', resolve));
  socket.write(BEGINNINGS[Math.floor(index / ADDRESSES.length) % BEGINNINGS.length]!);
  return { socket, opened };
}

async function metric(controller: Controller, name: string): Promise<number> {
  const text = await (await fetch(controller.metrics)).text();
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`no metric ${name}`);
  return Number(value);
}
