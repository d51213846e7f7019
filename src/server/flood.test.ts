// What a flood from one address takes from the others: nothing. All of 127.0.0.0/8 is this machine, so each address is another client.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/dashboard-client.ts';
import { LoopbackClient } from '../../test/fakes/loopback-client.ts';
import type { DashboardOptions } from './options.ts';

const MAX_CONNECTIONS = 40;
const STREAMS_PER_ADDRESS = 125;
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
  test('of connections gets a quarter of them, and the others are answered', async () => {
    for (let count = 0; count < MAX_CONNECTIONS; count += 1) await connectFrom().get('/api/v1/mode');
    expect(refused('connection', 'client')).toBe(30);
    expect((await dashboard.get('/api/v1/mode')).status).toBe(200);
  });

  test('of streams gets a quarter of them, and the others get theirs', async () => {
    await restart({ maxConnections: 1000 });
    for (let count = 0; count < STREAMS_PER_ADDRESS; count += 1) expect(await connectFrom().get('/api/v1/stream')).toContain(' 200 OK');
    const answer = await connectFrom().get('/api/v1/stream');
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(refused('stream', 'client')).toBe(1);
    expect(await connectFrom('127.0.0.1').get('/api/v1/stream')).toContain(' 200 OK');
  });
});
