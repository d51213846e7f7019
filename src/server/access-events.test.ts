// The trail of access events, over HTTP: every change, sign-in and denied request has one, and admins read and verify them.

import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { MINUTE_MS } from '#kube/units';
import { hashPassword } from '../runtime/passwords/password-hash.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';
import { envelopeSchema } from './openapi/api-document.ts';
import { COMPONENT_SCHEMAS, OPERATIONS } from './openapi/document.ts';
import { schemaCompiler } from './openapi/validator.ts';

const PASSWORD = 'correct horse battery';
const ROOT = 'root@example.com';
const OP = 'op@example.com';
const NOW = Date.UTC(2026, 10, 27, 12);
const EXCLUDE = '/api/v1/overrides/shop/cart/exclude';

let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

let world: DashboardWorld;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(async () => {
  store = new FakeAccessStore();
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  store.grant({ email: ROOT, role: 'admin' }, { email: OP, role: 'operator', namespaces: ['shop'] });
  store.admin = { email: ROOT, passwordHash };
  client = await startDashboard(world, { anonymousWrites: false }, { store, now: () => NOW, isLocalEnabled: true, proxy: null });
});
afterEach(() => client.close());

const cookieOf = (email: string) => ({
  cookie: `evenkeel=${sealSession(newSession(email, NOW, { via: 'local', name: null }), store.keys)}`,
});
const exclude = (email: string, path = EXCLUDE) => client.send('PUT', path, { excluded: true }, cookieOf(email));
/** The recorded events, oldest first, by the given fields. */
const recorded = () => world.history.accessEvents.toReversed();
const brief = () => recorded().map(({ actor, action, target, outcome }) => [actor.email, action, target, outcome]);

describe('An access event is recorded for', () => {
  test('a change, with the object before and afterwards, the request and the client', async () => {
    const { headers } = await exclude(OP);
    expect(recorded()).toMatchObject([
      {
        actor: { email: OP, via: 'session', keyId: null },
        action: 'setExclusion',
        target: 'StatefulSet/shop/cart',
        outcome: 'allowed',
        requestId: headers.get('x-request-id'),
        address: '127.0.0.1',
      },
    ]);
    expect(recorded()[0]?.after).not.toBeNull();
  });

  test('a change that failed, was denied by role, or by namespace', async () => {
    world.records.refuseWith = { kind: 'refused', status: 403, message: 'denied by a webhook' };
    await exclude(OP);
    await exclude(OP, '/api/v1/overrides/pay/ledger/exclude');
    await client.send('POST', '/api/v1/resize-cycle/trigger', undefined, cookieOf(OP));
    expect(brief()).toEqual([
      [OP, 'setExclusion', 'StatefulSet/shop/cart', 'error'],
      [OP, 'setExclusion', 'pay/ledger', 'denied'],
      [OP, 'triggerResizeCycle', 'POST /api/v1/resize-cycle/trigger', 'denied'],
    ]);
    expect(
      recorded()
        .slice(1)
        .map(({ after }) => after),
    ).toEqual([{ code: 'forbidden' }, { code: 'forbidden' }]);
  });

  test('a missing object, and a change without an effect', async () => {
    await exclude(OP, '/api/v1/overrides/shop/missing/exclude');
    await client.send('PUT', EXCLUDE, { excluded: false }, cookieOf(OP));
    expect(brief()).toEqual([
      [OP, 'setExclusion', 'shop/missing', 'error'],
      [OP, 'setExclusion', 'shop/cart', 'allowed'],
    ]);
  });

  test('each item of a bulk request', async () => {
    const items = [
      { namespace: 'shop', name: 'cart', action: 'set', floor: { '*': { cpu: '100m' } } },
      { namespace: 'pay', name: 'ledger', action: 'remove' },
      { namespace: 'shop', name: 'missing', action: 'remove' },
    ];
    await client.send('POST', '/api/v1/overrides/bulk', { items }, cookieOf(OP));
    expect(brief().toSorted()).toEqual([
      [OP, 'bulkOverrides', 'StatefulSet/shop/cart', 'allowed'],
      [OP, 'bulkOverrides', 'pay/ledger', 'denied'],
      [OP, 'bulkOverrides', 'shop/missing', 'error'],
    ]);
  });

  test('no dry run that changes nothing, and no read that is allowed', async () => {
    await client.send('PUT', `${EXCLUDE}?dryRun=true`, { excluded: true }, cookieOf(OP));
    await client.get('/api/v1/recommendations', cookieOf(OP));
    expect(recorded()).toEqual([]);
  });

  test('a sign-in, a failed one without the address that was given, and a sign-out', async () => {
    const signIn = (password: string) => client.send('POST', '/api/v1/auth/local', { email: ROOT, password });
    const { headers } = await signIn(PASSWORD);
    await signIn('wrong password');
    const cookie = String(headers.get('set-cookie')).split(';')[0] ?? '';
    await client.send('POST', '/api/v1/auth/logout', undefined, { cookie });
    expect(brief()).toEqual([
      [ROOT, 'signIn', 'local', 'allowed'],
      [null, 'signIn', 'local', 'denied'],
      [ROOT, 'signOut', 'local', 'allowed'],
    ]);
    expect(recorded()[1]).toMatchObject({ actor: { via: 'anonymous' }, after: { code: 'wrong-password' } });
  });

  test('a key that is created, used for a change, and revoked', async () => {
    const created = await client.send('POST', '/api/v1/api-keys', { email: OP, label: 'grafana' }, cookieOf(ROOT));
    const { id, key } = (created.body as { readonly data: { readonly id: string; readonly key: string } }).data;
    await client.send('PUT', EXCLUDE, { excluded: true }, { authorization: `Bearer ${key}` });
    await client.send('DELETE', `/api/v1/api-keys/${id}`, undefined, cookieOf(ROOT));
    expect(brief()).toEqual([
      [ROOT, 'createApiKey', `ApiKey/${id}`, 'allowed'],
      [OP, 'setExclusion', `PUT ${EXCLUDE}`, 'denied'],
      [ROOT, 'deleteApiKey', `ApiKey/${id}`, 'allowed'],
    ]);
    expect(recorded()[1]).toMatchObject({ actor: { via: 'api-key', keyId: id }, after: { code: 'api_key_read_only' } });
    const secret = key.split('_')[2] ?? '';
    expect(JSON.stringify([recorded(), world.logger.lines])).not.toContain(secret);
  });

  test('a request of another site, of a host that is not allowed, and without a credential', async () => {
    await client.send('PUT', EXCLUDE, { excluded: true }, { ...cookieOf(OP), origin: 'https://evil.example' });
    await client.send('PUT', EXCLUDE, { excluded: true });
    expect(brief()).toEqual([
      [null, 'request', `PUT ${EXCLUDE}`, 'denied'],
      [null, 'setExclusion', `PUT ${EXCLUDE}`, 'denied'],
    ]);
    expect(recorded().map(({ after }) => after)).toEqual([{ code: 'csrf_failed' }, { code: 'unauthenticated' }]);
  });

  test('an invalid API key where the answer is no error of the API: on the page to sign out, and for the identity', async () => {
    const headers = { authorization: 'Bearer ek_mistyped' };
    expect((await client.get('/auth/logout', headers)).status).toBe(401);
    expect((await client.get('/api/v1/auth/session', headers)).status).toBe(200);
    expect(brief()).toEqual([
      [null, 'request', 'GET /auth/logout', 'denied'],
      [null, 'getSession', 'GET /api/v1/auth/session', 'denied'],
    ]);
  });

  test('at most ten denied requests a minute of one reason; the others are counted', async () => {
    for (let index = 0; index < 15; index += 1) await client.get('/api/v1/nodes');
    // A change has its own count.
    await client.send('PUT', EXCLUDE, { excluded: true });
    expect(recorded()).toHaveLength(11);
    world.timer.advance(MINUTE_MS);
    expect(recorded()).toHaveLength(12);
    expect(recorded()[11]).toMatchObject({ action: 'countDeniedRequests', after: { code: 'unauthenticated', requests: 'read', count: 5 } });
    await client.get('/api/v1/nodes');
    expect(recorded()).toHaveLength(13);
  });

  test('a change while authentication is off', async () => {
    await client.close();
    client = await startDashboard(world);
    await client.send('PUT', EXCLUDE, { excluded: true });
    expect(recorded()).toMatchObject([{ actor: { email: null, via: 'anonymous', keyId: null }, outcome: 'allowed' }]);
  });
});

describe('An access event in the log', () => {
  test('has one line: the audit line of a change, else a line of its own', async () => {
    await exclude(OP);
    await exclude(OP, '/api/v1/overrides/pay/ledger/exclude');
    const lines = world.logger.lines.filter(({ message }) => message === 'audit' || message === 'access event');
    expect(lines.map(({ message, fields }) => [message, fields['outcome']])).toEqual([
      ['audit', 'allowed'],
      ['access event', 'denied'],
    ]);
  });
});

describe('GET /access-events', () => {
  const list = (query = '', email = ROOT) => client.get(`/api/v1/access-events${query}`, cookieOf(email));
  const idsOf = async (query: string) => ((await list(query)).body.data as { id: string }[]).map(({ id }) => Number(id.slice(-9)));

  beforeEach(async () => {
    await exclude(OP);
    await exclude(ROOT);
    await exclude(OP, '/api/v1/overrides/pay/ledger/exclude');
  });

  test('is described, newest first, and for admins alone', async () => {
    const { status, body } = await list();
    const validate = schemaCompiler(COMPONENT_SCHEMAS)(envelopeSchema(OPERATIONS.find(({ id }) => id === 'listAccessEvents')!));
    expect([status, validate(body) || validate.errors]).toEqual([200, true]);
    expect(body.meta).toMatchObject({ total: 3, summary: { verification: null } });
    expect(await idsOf('')).toEqual([3, 2, 1]);
    expect((await list('', OP)).status).toBe(403);
  });

  test('pages, filters, and answers CSV', async () => {
    const first = await list('?limit=2');
    expect(await idsOf(`?limit=2&cursor=${String(first.body.meta.nextCursor)}`)).toEqual([1]);
    expect(await idsOf(`?actor=${OP.toUpperCase()}`)).toEqual([3, 1]);
    expect(await idsOf('?outcome=denied&action=setExclusion')).toEqual([3]);
    expect(await idsOf('?q=LEDGER')).toEqual([3]);
    world.clock.advance(10 * MINUTE_MS);
    expect(await idsOf('?duration=5m')).toEqual([]);
    expect((await list('?duration=91d')).status).toBe(400);
    const { text } = await list('?format=csv&sort=time');
    expect(text.split('\r\n')[0]).toBe(
      'id,time,actor.email,actor.via,actor.keyId,action,target,outcome,before,after,requestId,address,hash,previousHash,writer',
    );
    expect(text.trim().split('\n')).toHaveLength(4);
  });

  test('verifies on request, and names the first event that is wrong', async () => {
    const tagOf = async () => (await list('?verify=true')).headers.get('etag');
    const intact = await tagOf();
    const fault = { kind: 'removed', writer: 'w', sequence: 2, id: null, message: 'w-000000002 was removed before w-000000003' } as const;
    world.history.verification = { state: 'broken', events: 2, chains: 1, faults: [fault], unsigned: ['w'], heads: [] };
    const { meta } = (await list('?verify=true')).body as { meta: object };
    expect(meta).toMatchObject({
      summary: { verification: { state: 'broken', events: 2, chains: 1, faults: [{ kind: 'removed', id: null, message: fault.message }] } },
      warnings: [
        { code: 'access_events_broken', message: 'The trail was changed: w-000000002 was removed before w-000000003.' },
        { code: 'access_events_unsigned' },
      ],
    });
    expect(await tagOf()).not.toBe(intact);
  });

  test('answers an empty page with a warning while the store is unavailable', async () => {
    world.history.away = true;
    const { status, body } = await list('?verify=true');
    expect([status, body.meta.total, body.meta.warnings[0].code]).toEqual([200, 0, 'history_unavailable']);
  });
});
