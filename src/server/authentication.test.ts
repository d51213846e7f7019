// Access by credential, over HTTP: sessions, API keys and the local admin.

import { get } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type Answered, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { isoTime } from '#kube/time/iso-time';
import { hashPassword } from '../runtime/passwords/password-hash.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';
import { envelopeSchema } from './openapi/api-document.ts';
import { COMPONENT_SCHEMAS, OPERATIONS } from './openapi/document.ts';
import { schemaCompiler } from './openapi/validator.ts';

const PASSWORD = 'correct horse battery';
const ROOT = 'root@example.com';
const compile = schemaCompiler(COMPONENT_SCHEMAS);

let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

let now: number;
let world: DashboardWorld;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(async () => {
  now = Date.UTC(2026, 10, 27, 12);
  store = new FakeAccessStore();
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  store.grant(
    { email: ROOT, role: 'admin' },
    { email: 'op@example.com', role: 'operator', namespaces: ['shop'] },
    { email: 'view@example.com', role: 'viewer', namespaces: ['shop'] },
    { email: 'all@example.com', role: 'viewer', namespaces: ['*'] },
    { email: 'pay@example.com', role: 'operator', namespaces: ['pay*'] },
    { email: 'old@example.com', role: 'admin', expiresAt: isoTime(world.clock.now() - 1) },
  );
  store.admin = { email: ROOT, passwordHash };
  client = await startDashboard(world, { anonymousWrites: false }, { store, now: () => now, isLocalEnabled: true, proxy: null });
});
afterEach(() => client.close());

type Headers = Readonly<Record<string, string>>;
const cookieOf = (email: string): Headers => ({ cookie: `evenkeel=${sealSession(newSession(email, now), store.keys)}` });
const keyOf = async (email: string): Promise<string> => {
  const created = await client.send('POST', '/api/v1/api-keys', { email, label: 'test' }, cookieOf(ROOT));
  expect(created.status).toBe(201);
  return (created.body as { data: { key: string } }).data.key;
};
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const codeOf = ({ status, body }: Answered): string => `${status}${status < 400 ? '' : ` ${String(body.error.code)}`}`;
const matches = ({ status, body }: Answered, id: string) => {
  const operation = OPERATIONS.find((each) => each.id === id)!;
  const validate = compile(envelopeSchema(operation));
  return [status === operation.answer.status, validate(body) || validate.errors];
};

const read = (headers: Headers) => client.get('/api/v1/recommendations/shop/web', headers);
const list = (headers: Headers) => client.get('/api/v1/recommendations', headers);
const change = (headers: Headers) => client.send('PUT', '/api/v1/overrides/shop/cart/exclude', { excluded: true }, headers);

describe('a read, a list, an admin’s list and a change in namespace shop, by', () => {
  test.each<[string, () => Promise<Headers>, readonly string[], 'all' | 'shop' | 'none']>([
    [
      'no credential',
      async () => ({}),
      ['401 unauthenticated', '401 unauthenticated', '401 unauthenticated', '401 unauthenticated'],
      'none',
    ],
    ['an admin', async () => cookieOf(ROOT), ['200', '200', '200', '200'], 'all'],
    ['an operator', async () => cookieOf('op@example.com'), ['200', '200', '403 forbidden', '200'], 'shop'],
    ['a viewer', async () => cookieOf('view@example.com'), ['200', '200', '403 forbidden', '403 forbidden'], 'shop'],
    ['a viewer of all namespaces', async () => cookieOf('all@example.com'), ['200', '200', '403 forbidden', '403 forbidden'], 'all'],
    [
      'an operator of other namespaces',
      async () => cookieOf('pay@example.com'),
      ['403 forbidden', '200', '403 forbidden', '403 forbidden'],
      'none',
    ],
    [
      'an expired grant',
      async () => cookieOf('old@example.com'),
      ['403 forbidden', '403 forbidden', '403 forbidden', '403 forbidden'],
      'none',
    ],
    ['no grant', async () => cookieOf('new@example.com'), ['403 forbidden', '403 forbidden', '403 forbidden', '403 forbidden'], 'none'],
    ['the API key of an admin', async () => bearer(await keyOf(ROOT)), ['200', '200', '200', '403 api_key_read_only'], 'all'],
    [
      'the API key of a viewer',
      async () => bearer(await keyOf('view@example.com')),
      ['200', '200', '403 forbidden', '403 api_key_read_only'],
      'shop',
    ],
  ])('%s', async (_who, headersOf, expected, listed) => {
    const headers = await headersOf();
    const answers = [await read(headers), await list(headers), await client.get('/api/v1/nodes', headers), await change(headers)];
    expect(answers.map(codeOf)).toEqual(expected);
    const records = (answers[1]!.body.data ?? []) as readonly { readonly namespace: string }[];
    const namespaces = new Set(records.map(({ namespace }) => namespace));
    if (listed === 'all') expect(namespaces.size).toBeGreaterThan(1);
    if (listed === 'shop') expect([...namespaces]).toEqual(['shop']);
    if (listed === 'none') expect(namespaces.has('shop')).toBe(false);
  });
});

test('a 401 names the scheme, and the body has no data', async () => {
  const { headers, body } = await read({});
  expect([headers.get('www-authenticate'), body.data]).toEqual(['Bearer', null]);
});

test('warnings name objects to admins alone, and a caller without a credential gets none', async () => {
  await client.close();
  const missingPermissions = () => ['list pods in namespace pay'];
  const pastUsageProblem = () => 'Prometheus at http://prometheus has series of pay/api-1';
  const usage = { ...world.sources.usage, confirmedAt: () => world.clock.now(), problem: () => 'the certificate of node-a is not trusted' };
  client = await startDashboard(
    { ...world, sources: { ...world.sources, usage, missingPermissions, pastUsageProblem } },
    { anonymousWrites: false },
    { store, now: () => now, isLocalEnabled: true, proxy: null },
  );
  const session = await client.get('/api/v1/auth/session');
  const wrong = await client.send('POST', '/api/v1/auth/logout');
  expect([session.body.meta.warnings, wrong.body.meta.warnings]).toEqual([undefined, undefined]);
  const warningsOf = async (headers: Headers): Promise<string> =>
    JSON.stringify((await client.get('/api/v1/mode', headers)).body.meta.warnings);
  const codes = /history_unavailable.*prometheus_unavailable.*permission_missing/;
  expect(await warningsOf(cookieOf(ROOT))).toMatch(/node-a.*api-1.*namespace pay/);
  for (const email of ['all@example.com', 'view@example.com', 'new@example.com']) {
    const warnings = await warningsOf(cookieOf(email));
    expect([codes.test(warnings), /node-a|pay|http/.test(warnings)]).toEqual([true, false]);
  }
});

describe('permissions change', () => {
  test('with the grant, on the next request of a session and of a key', async () => {
    const [session, key] = [cookieOf('view@example.com'), bearer(await keyOf('view@example.com'))];
    expect([codeOf(await read(session)), codeOf(await read(key))]).toEqual(['200', '200']);
    store.grant({ email: ROOT, role: 'admin' });
    expect([codeOf(await read(session)), codeOf(await read(key))]).toEqual(['403 forbidden', '403 forbidden']);
  });

  test('with a key that is revoked, which leaves others', async () => {
    const [first, second] = [await keyOf('view@example.com'), await keyOf('view@example.com')];
    const revoked = await client.send('DELETE', `/api/v1/api-keys/${first.slice(3, 15)}`, undefined, cookieOf(ROOT));
    expect(matches(revoked, 'deleteApiKey')).toEqual([true, true]);
    expect([codeOf(await read(bearer(first))), codeOf(await read(bearer(second)))]).toEqual(['401 unauthenticated', '200']);
  });

  test('is answered after the replicas have reported it, and says which have not', async () => {
    const revoked = async () => {
      const id = (await keyOf('view@example.com')).slice(3, 15);
      return { id, answer: await client.send('DELETE', `/api/v1/api-keys/${id}`, undefined, cookieOf(ROOT)) };
    };
    const first = await revoked();
    expect([store.awaited, first.answer.body.meta.warnings]).toEqual([[{ part: 'api-keys', resourceVersion: first.id }], undefined]);
    store.reports = { missing: ['controller-b'], areKnown: true };
    const { answer } = await revoked();
    expect(matches(answer, 'deleteApiKey')).toEqual([true, true]);
    expect(answer.body.meta.warnings).toMatchObject([{ code: 'replica_not_confirmed', message: expect.stringContaining('controller-b') }]);
    const signedOut = await client.send('POST', '/api/v1/auth/logout', undefined, cookieOf('view@example.com'));
    expect(matches(signedOut, 'signOut')).toEqual([true, true]);
    expect([signedOut.status, store.awaited.at(-1)?.part]).toEqual([200, 'ended-sessions']);
    expect(JSON.stringify(signedOut.body.meta.warnings)).toMatch(/from 1 replica\b(?!.*controller-b)/);
  });

  test('never to an old one: while grants cannot be confirmed every request is refused', async () => {
    const [session, key] = [cookieOf(ROOT), bearer(await keyOf(ROOT))];
    store.isOut = true;
    const answers = [await read(session), await read(key), await change(session)];
    expect(answers.map(codeOf)).toEqual(['503 not_ready', '503 not_ready', '503 not_ready']);
    expect(answers[0]!.headers.get('retry-after')).not.toBeNull();
    const session200 = await client.get('/api/v1/auth/session', session);
    expect([session200.status, session200.body.data.authenticated, session200.body.data.role]).toEqual([200, false, null]);
  });
});

describe('a session', () => {
  test('begins with the password of the local admin, and ends by sign-out', async () => {
    const signedIn = await client.send('POST', '/api/v1/auth/local', { email: 'Root@example.com', password: PASSWORD });
    expect(matches(signedIn, 'signIn')).toEqual([true, true]);
    const cookie = signedIn.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^evenkeel=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
    const headers = { cookie: cookie.split(';')[0]! };
    const session = await client.get('/api/v1/auth/session', headers);
    expect(session.body.data).toEqual({
      authenticated: true,
      email: ROOT,
      name: null,
      role: 'admin',
      namespaces: ['*'],
      capabilities: ['view', 'operate', 'administer', 'manage-keys'],
      expiresAt: isoTime(now + 12 * HOUR_MS),
      authEnabled: true,
    });
    const signedOut = await client.send('POST', '/api/v1/auth/logout', undefined, headers);
    expect(matches(signedOut, 'signOut')).toEqual([true, true]);
    expect(signedOut.headers.get('set-cookie')).toMatch(/^evenkeel=; .*Max-Age=0$/);
    expect(codeOf(await read(headers))).toBe('401 unauthenticated');
  });

  test('of an address without a grant is identified, and reads nothing', async () => {
    const headers = cookieOf('new@example.com');
    expect((await client.get('/api/v1/auth/session', headers)).body.data).toMatchObject({
      authenticated: true,
      role: null,
      capabilities: [],
    });
    expect(codeOf(await client.get('/api/v1/mode', headers))).toBe('200');
  });

  test('ends after 12 hours, and after an hour without a request', async () => {
    let headers = cookieOf('view@example.com');
    now += HOUR_MS - 1;
    expect(codeOf(await read(headers))).toBe('200');
    now += 1;
    expect(codeOf(await read(headers))).toBe('401 unauthenticated');
    headers = cookieOf('view@example.com');
    for (let minutes = 0; minutes < 12 * 60 - 30; minutes += 30) {
      now += 30 * MINUTE_MS;
      const answer = await read(headers);
      expect(codeOf(answer)).toBe('200');
      headers = { cookie: answer.headers.get('set-cookie')!.split(';')[0]! };
    }
    now += 30 * MINUTE_MS;
    expect(codeOf(await read(headers))).toBe('401 unauthenticated');
  });

  test('ends by the limits of the settings', async () => {
    await client.close();
    const sessions = { lifetimeMs: 20 * MINUTE_MS, idleMs: 5 * MINUTE_MS };
    client = await startDashboard(world, {}, { store, now: () => now, sessions, isLocalEnabled: true, proxy: null });
    const signedIn = await client.send('POST', '/api/v1/auth/local', { email: ROOT, password: PASSWORD });
    const cookie = signedIn.headers.get('set-cookie')!;
    expect(cookie).toMatch(/; Max-Age=1200$/);
    let headers: Headers = { cookie: cookie.split(';')[0]! };
    expect((await client.get('/api/v1/auth/session', headers)).body.data.expiresAt).toBe(isoTime(now + 20 * MINUTE_MS));
    now += 5 * MINUTE_MS - 1;
    const renewed = await read(headers);
    now += 1;
    expect([codeOf(renewed), codeOf(await read(headers))]).toEqual(['200', '401 unauthenticated']);
    headers = { cookie: renewed.headers.get('set-cookie')!.split(';')[0]! };
    expect(codeOf(await read(headers))).toBe('200');
  });

  test('that an older key sealed is opened, and the newest key seals', async () => {
    const headers = cookieOf(ROOT);
    store.keys = [...store.keys, { id: '2', bytes: Buffer.alloc(32, 2) }];
    now += MINUTE_MS;
    const answer = await read(headers);
    expect([codeOf(answer), answer.headers.get('set-cookie')]).toEqual(['200', expect.stringMatching(/^evenkeel=2\./)]);
    store.keys = store.keys.slice(1);
    expect(codeOf(await read(headers))).toBe('401 unauthenticated');
  });

  test('over TLS has a cookie that no subdomain can set', async () => {
    await client.close();
    const options = { publicUrl: 'https://keel.example.com', anonymousWrites: false };
    client = await startDashboard(
      world,
      { ...options, allowedHosts: ['127.0.0.1'], trustedProxies: ['loopback'] },
      { store, now: () => now, isLocalEnabled: true, proxy: null },
    );
    const secure = { 'x-forwarded-proto': 'https' };
    const { headers } = await client.send('POST', '/api/v1/auth/local', { email: ROOT, password: PASSWORD }, secure);
    expect(headers.get('set-cookie')).toMatch(/^__Host-evenkeel=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/);
    expect(codeOf(await read({ ...secure, ...cookieOf(ROOT) }))).toBe('401 unauthenticated');
  });

  test('of a cross-site request is refused', async () => {
    expect(codeOf(await change({ ...cookieOf(ROOT), 'sec-fetch-site': 'cross-site' }))).toBe('403 csrf_failed');
  });
});

describe('a sign-in', () => {
  const signIn = (email: string, password: string) => client.send('POST', '/api/v1/auth/local', { email, password });

  test('with a wrong password, and after ten failures in a minute with any, is refused', async () => {
    const failures = [];
    for (let attempt = 0; attempt < 10; attempt += 1)
      failures.push(codeOf(await signIn(attempt % 2 === 0 ? ROOT : 'x@example.com', 'wrong')));
    expect(new Set(failures)).toEqual(new Set(['401 unauthenticated']));
    const refused = await signIn(ROOT, PASSWORD);
    expect([codeOf(refused), refused.headers.get('retry-after')]).toEqual(['429 rate_limited', '60']);
    world.timer.advance(MINUTE_MS);
    expect(codeOf(await signIn(ROOT, PASSWORD))).toBe('200');
  });

  test('that cannot be verified is no failure', async () => {
    store.isOut = true;
    for (let attempt = 0; attempt < 11; attempt += 1) expect(codeOf(await signIn(ROOT, PASSWORD))).toBe('503 not_ready');
    store.isOut = false;
    expect(codeOf(await signIn(ROOT, PASSWORD))).toBe('200');
  });

  test('without a password that was set is refused', async () => {
    store.admin = null;
    expect(codeOf(await signIn(ROOT, PASSWORD))).toBe('401 unauthenticated');
  });

  test('leaves no password and no cookie in the log', async () => {
    await signIn(ROOT, 'a wrong password');
    const { headers } = await signIn(ROOT, PASSWORD);
    const log = JSON.stringify(world.logger);
    expect(log).toContain('Signed in');
    for (const secret of ['a wrong password', PASSWORD, headers.get('set-cookie')!.slice(9, 60)]) expect(log).not.toContain(secret);
  });
});

describe('API keys', () => {
  test('are managed by an admin with a session alone', async () => {
    const key = bearer(await keyOf(ROOT));
    const manage = (headers: Headers) => client.send('POST', '/api/v1/api-keys', { email: ROOT, label: 'x' }, headers);
    expect([codeOf(await manage({})), codeOf(await manage(cookieOf('op@example.com'))), codeOf(await manage(key))]).toEqual([
      '401 unauthenticated',
      '403 forbidden',
      '403 session_required',
    ]);
    expect(codeOf(await client.get('/api/v1/api-keys', key))).toBe('403 session_required');
  });

  test('are for an address with a grant', async () => {
    const send = (email: string) => client.send('POST', '/api/v1/api-keys', { email, label: 'x' }, cookieOf(ROOT));
    expect([codeOf(await send('new@example.com')), codeOf(await send('old@example.com')), codeOf(await send('no address'))]).toEqual([
      '422 no_grant',
      '422 no_grant',
      '400 invalid_request',
    ]);
  });

  test('are listed with the current role and the last use, and never with the key', async () => {
    const key = await keyOf('view@example.com');
    await read(bearer(key));
    const listed = await client.get('/api/v1/api-keys', cookieOf(ROOT));
    expect(matches(listed, 'listApiKeys')).toEqual([true, true]);
    expect(listed.body.data).toMatchObject([
      { id: key.slice(3, 15), email: 'view@example.com', role: 'viewer', namespaces: ['shop'], createdBy: ROOT, lastUsedAt: isoTime(now) },
    ]);
    const everything = JSON.stringify([listed.body, world.logger, world.events, [...store.stored.values()]]);
    expect([everything.includes(key), everything.includes(key.slice(16))]).toEqual([false, false]);
    expect(world.events.map(({ reason }) => reason)).toEqual(['ApiKeyCreated']);
  });

  test('that a dry run creates are not valid', async () => {
    const { body } = await client.send('POST', '/api/v1/api-keys?dryRun=true', { email: ROOT, label: 'x' }, cookieOf(ROOT));
    expect([body.meta.dryRun, codeOf(await read(bearer(body.data.key as string)))]).toEqual([true, '401 unauthenticated']);
  });

  test('that fail ten times in a minute are answered 429, and valid ones of the address are served', async () => {
    const key = bearer(await keyOf('view@example.com'));
    const codes = [];
    for (let attempt = 0; attempt < 11; attempt += 1) codes.push(codeOf(await read(bearer('ek_wrong'))));
    expect([codes[9], codes[10], codeOf(await read(key))]).toEqual(['401 unauthenticated', '429 rate_limited', '200']);
  });
});

describe('a credential', () => {
  test('in a bearer header wins over the cookie', async () => {
    const both = { ...cookieOf(ROOT), ...bearer(await keyOf('view@example.com')) };
    expect(codeOf(await change(both))).toBe('403 api_key_read_only');
    expect(codeOf(await read({ ...cookieOf(ROOT), ...bearer('wrong') }))).toBe('401 unauthenticated');
  });

  test('of another scheme is not Evenkeel’s', async () => {
    expect(codeOf(await read({ ...cookieOf(ROOT), authorization: 'Basic cm9vdDpyb290' }))).toBe('200');
  });

  test('in two headers is refused, except where the answer is always who the caller is', async () => {
    const session = cookieOf(ROOT)['cookie']!;
    const codeWith = (path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = ['host', '127.0.0.1', 'authorization', 'Bearer one', 'authorization', 'Bearer two', 'cookie', session];
        get({ port: client.port, path, headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).once('error', reject);
      });
    expect([await codeWith('/api/v1/mode'), await codeWith('/api/v1/auth/session')]).toEqual([400, 200]);
  });

  test('in two cookies of the name is none', async () => {
    const { cookie } = cookieOf(ROOT) as { cookie: string };
    expect(codeOf(await read({ cookie: `${cookie}; ${cookie}` }))).toBe('401 unauthenticated');
  });

  test('that is malformed never has a scope', async () => {
    const [valid] = [cookieOf(ROOT)['cookie']!.slice('evenkeel='.length)];
    const printable = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 300 });
    const mistyped = fc.tuple(fc.nat(valid.length - 1), printable).map(([at, text]) => valid.slice(0, at) + text + valid.slice(at + 1));
    const sent = fc.oneof(
      printable.map((text): Headers => bearer(text)),
      printable.map((text): Headers => ({ cookie: `evenkeel=${text}` })),
      mistyped.filter((text) => text !== valid).map((text): Headers => ({ cookie: `evenkeel=${text}` })),
      fc.constantFrom<Headers>(
        bearer(''),
        { authorization: 'Bearer' },
        { cookie: 'evenkeel' },
        { cookie: `Evenkeel=${valid}` },
        { cookie: `evenkeel="${valid}"` },
      ),
    );
    await fc.assert(
      fc.asyncProperty(sent, async (headers) => {
        expect([401, 429]).toContain((await read(headers)).status);
      }),
      { numRuns: 100 },
    );
  });
});

describe('while authentication is off', () => {
  beforeEach(async () => {
    await client.close();
    client = await startDashboard(world);
  });

  test('every caller is an admin without a session, and credentials have no effect', async () => {
    expect([codeOf(await read(bearer('ek_wrong'))), codeOf(await change({}))]).toEqual(['200', '200']);
    expect((await client.get('/api/v1/auth/session')).body.data).toMatchObject({ authEnabled: false, role: 'admin', authenticated: false });
  });

  test('sign-in and key management are refused', async () => {
    const answers = [
      await client.send('POST', '/api/v1/auth/local', { email: ROOT, password: PASSWORD }),
      await client.send('POST', '/api/v1/auth/logout'),
      await client.send('POST', '/api/v1/api-keys', { email: ROOT, label: 'x' }),
      await client.get('/api/v1/api-keys'),
    ];
    expect(answers.map(codeOf)).toEqual(['403 feature_disabled', '403 feature_disabled', '403 session_required', '403 session_required']);
  });
});
