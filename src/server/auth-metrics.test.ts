// Metrics of sign-ins, denials and half-open connections.

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { LoopbackClient } from '../../test/fakes/clients/loopback-client.ts';
import { PrometheusMetrics } from '../runtime/metrics.ts';
import { hashPassword } from '../runtime/passwords/password-hash.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';

const ROOT = { email: 'root@example.com', password: 'correct horse battery' };

let metrics: PrometheusMetrics;
let world: Omit<DashboardWorld, 'metrics'>;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(async () => {
  metrics = new PrometheusMetrics();
  store = new FakeAccessStore();
  store.grant({ email: ROOT.email, role: 'admin' }, { email: 'view@example.com', role: 'viewer', namespaces: ['shop'] });
  store.admin = { email: ROOT.email, passwordHash: await hashPassword(ROOT.password) };
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  client = await startDashboard({ ...world, metrics }, {}, { store, now: () => Date.now(), isLocalEnabled: true, proxy: null });
});
afterEach(() => client.close());

const lines = async (name: string): Promise<readonly string[]> =>
  (await metrics.expose()).split('\n').filter((line) => line.startsWith(name)).sort(); // prettier-ignore
const cookieOf = (email: string) => ({ cookie: `evenkeel=${sealSession(newSession(email, Date.now()), store.keys)}` });

test('sign-ins are counted by method and outcome, and sessions that were signed out', async () => {
  await client.send('POST', '/api/v1/auth/local', ROOT);
  await client.send('POST', '/api/v1/auth/local', { ...ROOT, password: 'wrong' });
  await client.send('POST', '/api/v1/auth/local?dryRun=true', ROOT);
  await client.send('POST', '/api/v1/auth/logout', {}, cookieOf(ROOT.email));
  expect(await lines('evenkeel_auth_sign_ins_total')).toEqual([
    'evenkeel_auth_sign_ins_total{method="local",outcome="signed-in"} 1',
    expect.stringMatching(/^evenkeel_auth_sign_ins_total\{method="local",outcome="[a-z-]+"\} 1$/),
  ]);
  expect(await lines('evenkeel_auth_sessions_ended_total')).toEqual(['evenkeel_auth_sessions_ended_total{method="local"} 1']);
});

test('denials are counted by reason, and no label has a credential or an address', async () => {
  const viewer = cookieOf('view@example.com');
  await client.get('/api/v1/nodes');
  await client.get('/api/v1/nodes', { authorization: 'Bearer ek_mistyped' });
  await client.get('/api/v1/nodes', viewer);
  await client.get('/api/v1/nodes', { ...cookieOf(ROOT.email), origin: 'https://evil.example.com' });
  await client.get('/api/v1/nowhere', viewer);
  expect(await lines('evenkeel_auth_denials_total')).toEqual([
    'evenkeel_auth_denials_total{reason="csrf_failed"} 1',
    'evenkeel_auth_denials_total{reason="forbidden"} 1',
    'evenkeel_auth_denials_total{reason="unauthenticated"} 2',
  ]);
  expect(await metrics.expose()).not.toMatch(/ek_|@example|127\.0\.0\.1|evil/);
});

test('a connection is half-open until its first request arrives, or it is closed', async () => {
  const half = [new LoopbackClient(client.port), new LoopbackClient(client.port)];
  for (const each of half) each.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
  const counted = async (): Promise<readonly string[]> => lines('evenkeel_http_half_open_connections');
  while ((await counted())[0] !== 'evenkeel_http_half_open_connections 2') await new Promise(setImmediate);
  half[0]!.write('\r\n');
  await half[0]!.reads('</html>');
  expect(await counted()).toEqual(['evenkeel_http_half_open_connections 1']);
  half[1]!.close();
  while ((await counted())[0] !== 'evenkeel_http_half_open_connections 0') await new Promise(setImmediate);
  half[0]!.close();
});
