// No credential, valid or not, is in a log line, an Event or the body of an answer, however wrong the request is.

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { findSecrets, knownSecret } from '../../test/fakes/known-secrets.ts';
import { hashPassword } from '../runtime/passwords/password-hash.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';

const ROOT = 'root@example.com';
const PASSWORD = knownSecret('the password', 'correct horse battery');
const WRONG = knownSecret('a wrong password', 'staple-correct-horse');

let world: DashboardWorld;
let store: FakeAccessStore;
let client: DashboardClient;
let cookie: string;
beforeEach(async () => {
  store = new FakeAccessStore();
  store.grant({ email: ROOT, role: 'admin' });
  store.admin = { email: ROOT, passwordHash: knownSecret('the hash of the password', await hashPassword(PASSWORD)) };
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  client = await startDashboard(world, { maxFailuresPerMinute: 1000 }, { store, now: () => Date.now(), isLocalEnabled: true, proxy: null });
  cookie = `evenkeel=${knownSecret('a cookie', sealSession(newSession(ROOT, Date.now()), store.keys))}`;
  for (const { bytes } of store.keys) knownSecret('a session key', Buffer.from(bytes).toString('base64'));
});
afterEach(() => client.close());

test('credentials stay out of answers, the log, Events and metrics', async () => {
  const created = await client.send('POST', '/api/v1/api-keys', { email: ROOT, label: 'test' }, { cookie });
  const { key, id } = (created.body as { data: { key: string; id: string } }).data;
  knownSecret('an API key', key);
  const typo = knownSecret('a mistyped key', `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`);
  const bearer = { authorization: `Bearer ${key}` };
  const signIn = (body: unknown) => client.send('POST', '/api/v1/auth/local', body);
  const answers = [
    await signIn({ email: ROOT, password: PASSWORD }),
    await signIn({ email: ROOT, password: WRONG }),
    await signIn({ email: WRONG, password: PASSWORD }),
    await signIn({ email: ROOT, password: [PASSWORD] }),
    await signIn(`{"email":"${ROOT}","password":"${PASSWORD}"`),
    await signIn(`"${PASSWORD}"`),
    await signIn({ email: ROOT, password: PASSWORD.repeat(1000) }),
    await client.send('POST', `/api/v1/auth/local?password=${encodeURIComponent(PASSWORD)}`, { email: ROOT, password: PASSWORD }),
    await client.get('/api/v1/nodes', bearer),
    await client.get('/api/v1/nodes', { authorization: `Bearer ${typo}` }),
    await client.get('/api/v1/nodes', { authorization: `Basic ${Buffer.from(`${ROOT}:${PASSWORD}`).toString('base64')}` }),
    await client.get('/api/v1/nodes', { cookie: `${cookie}x` }),
    await client.send('PUT', '/api/v1/overrides/shop/cart/exclude', { excluded: true }, bearer),
    await client.get(`/api/v1/api-keys/${key}`, { cookie }),
    await client.send('DELETE', `/api/v1/api-keys/${key}`, undefined, { cookie }),
    await client.get(`/api/v1/nodes?sort=${key}`, { cookie }),
    await client.get('/api/v1/api-keys', { cookie }),
    await client.get('/api/v1/auth/session', { cookie }),
    await client.get('/api/v1/mode', { cookie, host: key }),
    await client.get('/api/v1/mode', { cookie, origin: `https://${key}` }),
    await client.send('DELETE', `/api/v1/api-keys/${id}`, undefined, { cookie }),
    await client.get('/api/v1/nodes', bearer),
    await client.send('POST', '/api/v1/auth/logout', {}, { cookie }),
  ];
  const hits = [
    ...answers.flatMap(({ status, text }, index) => findSecrets(`answer ${index}, ${status}`, [text])),
    ...findSecrets(
      'the log',
      world.logger.lines.map((line) => JSON.stringify(line)),
    ),
    ...findSecrets(
      'Events',
      world.events.map((event) => JSON.stringify(event)),
    ),
    ...findSecrets('access events', [JSON.stringify(world.history)]),
  ];
  expect(hits).toEqual([]);
});

test('the search would find one', () => {
  expect(findSecrets('the log', [`wrong password ${PASSWORD}`])).toEqual(['the password is in the log: wrong password ***']);
});
