// A flood from one address does not affect others. All addresses of 127.0.0.0/8 are this machine, so each address acts as another client.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { LoopbackClient } from '../../test/fakes/clients/loopback-client.ts';
import { MiB } from '#kube/units';
import type { DashboardOptions } from './options.ts';

const MAX_CONNECTIONS = 40;
const STREAMS_PER_ADDRESS = 125;
/** Bodies of 1 MiB. */
const BODIES_PER_ADDRESS = 8;
const BODY_DEADLINE_MS = 20_000;
const CHANGE = '/api/v1/recommendations/shop/web/mode';
const FLOOD = '127.0.0.2';

let world: DashboardWorld;
let dashboard: DashboardClient;
const flood: LoopbackClient[] = [];

beforeEach(async () => {
  world = dashboardWorld();
  dashboard = await startDashboard(world, { maxConnections: MAX_CONNECTIONS });
});
afterEach(async () => {
  for (const client of flood.splice(0)) client.close();
  await dashboard.close();
});

function connectFrom(address = FLOOD): LoopbackClient {
  const client = new LoopbackClient(dashboard.port, address);
  flood.push(client);
  return client;
}

async function restart(options: Partial<DashboardOptions>): Promise<void> {
  await dashboard.close();
  dashboard = await startDashboard(world, options);
}

const refused = (kind: string, reason: string): number =>
  world.metrics.total('evenkeel_http_refused_total', { server: 'dashboard', kind, reason });

describe('a flood from one address', () => {
  test('of connections gets a quarter of them, and other clients are answered', async () => {
    for (let count = 0; count < MAX_CONNECTIONS; count += 1) await connectFrom().get('/api/v1/mode');
    expect(refused('connection', 'client')).toBe(30);
    expect((await dashboard.get('/api/v1/mode')).status).toBe(200);
  });

  test('of streams gets a quarter of them, and other clients get theirs', async () => {
    await restart({ maxConnections: 1000 });
    for (let count = 0; count < STREAMS_PER_ADDRESS; count += 1) expect(await connectFrom().get('/api/v1/stream')).toContain(' 200 OK');
    const answer = await connectFrom().get('/api/v1/stream');
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(refused('stream', 'client')).toBe(1);
    expect(await connectFrom('127.0.0.1').get('/api/v1/stream')).toContain(' 200 OK');
  });

  test('of incomplete bodies is answered 400 at the deadline, and changes of other clients succeed meanwhile', async () => {
    await restart({});
    const slow = Array.from({ length: BODIES_PER_ADDRESS }, () => connectFrom());
    for (const client of slow) {
      client.write(head(MiB));
      await client.reads('100 Continue');
    }
    const further = connectFrom();
    further.write(head(1));
    expect(await further.reads('Too many')).toContain('HTTP/1.1 429 ');
    expect((await dashboard.send('PUT', CHANGE, { mode: 'Off' })).status).toBe(200);

    world.timer.advance(BODY_DEADLINE_MS);
    for (const client of slow) expect(await client.ended()).toMatch(/HTTP\/1\.1 400 [^]*did not arrive within 20 s/);
    expect([refused('body', 'client'), refused('body', 'slow')]).toEqual([1, BODIES_PER_ADDRESS]);
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect((await dashboard.send('PUT', CHANGE, { mode: 'Auto' })).status).toBe(200);
  });

  test('of pipelined requests has its connections closed, and other clients are answered', async () => {
    const asset = 'GET /assets/evenkeel.css HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br\r\n\r\n';
    for (let count = 0; count < 5; count += 1) {
      const client = connectFrom();
      client.write(asset.repeat(500));
      await client.ended();
    }
    expect(refused('request', 'pipelined')).toBe(5);
    expect((await dashboard.get('/api/v1/mode')).status).toBe(200);
  });

  test('of bodies of unknown length counts each with the maximum length', async () => {
    await restart({});
    for (let count = 0; count < BODIES_PER_ADDRESS; count += 1) {
      const client = connectFrom();
      client.write(head('chunked'));
      await client.reads('100 Continue');
    }
    const further = connectFrom();
    further.write(head('chunked'));
    expect(await further.reads('Too many')).toContain('HTTP/1.1 429 ');
  });
});

test('a change that takes longer than the body deadline is not aborted', async () => {
  const [asked, written] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
  const annotate = world.records.annotate.bind(world.records);
  world.records.annotate = async (...given) => {
    asked.resolve(null);
    await written.promise;
    return annotate(...given);
  };
  const answer = dashboard.send('PUT', CHANGE, { mode: 'Off' });
  await asked.promise;
  world.timer.advance(BODY_DEADLINE_MS);
  written.resolve(null);
  expect((await answer).status).toBe(200);
});

/** The request head of a change with a body of this size, sent once the server waits for it. */
function head(bytes: number | 'chunked'): string {
  const length = bytes === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  return `PUT ${CHANGE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\nExpect: 100-continue\r\n\r\n`;
}
