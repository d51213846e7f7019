// Sign-in by the header of a trusted reverse proxy, over HTTP. All addresses of 127.0.0.0/8 are this machine: 127.0.0.1 is the proxy.

import { createHash, randomInt } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type Answered, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { LoopbackClient } from '../../test/fakes/clients/loopback-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { HOUR_MS } from '#kube/units';
import { mintApiKey } from '../core/access/api-key.ts';
import { DEFAULT_SESSION_LIMITS } from '../core/access/session-limits.ts';
import { newSession, openSession, sealSession } from './auth/session-cookie.ts';

const ROOT = 'root@example.com';
const VIEWER = 'view@example.com';
const HEADER = 'x-forwarded-email';
type Headers = Readonly<Record<string, string>>;

let now: number;
let world: DashboardWorld;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(async () => {
  now = Date.UTC(2026, 10, 27, 12);
  store = new FakeAccessStore();
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  store.grant({ email: ROOT, role: 'admin' }, { email: VIEWER, role: 'viewer', namespaces: ['shop'] });
  await start({ header: 'X-Forwarded-Email', addresses: ['127.0.0.1'] });
});
afterEach(() => client.close());

async function start(proxy: { header: string; addresses: readonly string[] } | null): Promise<void> {
  client = await startDashboard(world, { anonymousWrites: false }, { store, now: () => now, isLocalEnabled: true, proxy });
}
const restart = async (proxy: Parameters<typeof start>[0]): Promise<void> => {
  await client.close();
  await start(proxy);
};

const by = (email: string): Headers => ({ [HEADER]: email });
const cookieOf = (email: string): Headers => ({ cookie: `evenkeel=${sealSession(newSession(email, now), store.keys)}` });
const keyOf = (email: string): Headers => {
  const { id, text } = mintApiKey((below) => randomInt(below));
  const hash = createHash('sha256').update(text).digest('hex');
  store.stored.set(id, { id, email, label: 'test', hash, createdAt: now, createdBy: ROOT, lastUsedAt: null });
  return { authorization: `Bearer ${text}` };
};
const codeOf = ({ status, body }: Answered): string => `${status}${status < 400 ? '' : ` ${String(body.error.code)}`}`;
const read = (headers: Headers) => client.get('/api/v1/recommendations/shop/web', headers);
const nodes = (headers: Headers) => client.get('/api/v1/nodes', headers);
const change = (headers: Headers) => client.send('PUT', '/api/v1/overrides/shop/cart/exclude', { excluded: true }, headers);
const createKey = (headers: Headers) => client.send('POST', '/api/v1/api-keys', { email: ROOT, label: 'x' }, headers);
const session = (headers: Headers) => client.get('/api/v1/auth/session', headers);
const cookieIn = ({ headers }: Answered): Headers => ({ cookie: headers.get('set-cookie')!.split(';')[0]! });

/** Sends a GET with these header lines as they are. */
const codeWith = (path: string, lines: readonly string[], localAddress = '127.0.0.1'): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: client.port, path, headers: ['host', '127.0.0.1', ...lines], localAddress };
    httpRequest(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });

describe('a user whom the proxy has identified', () => {
  test('has the role and the namespaces of its grant', async () => {
    const answers = [
      await read(by(VIEWER)),
      await nodes(by(VIEWER)),
      await change(by(VIEWER)),
      await nodes(by(ROOT)),
      await change(by(ROOT)),
    ];
    expect(answers.map(codeOf)).toEqual(['200', '403 forbidden', '403 forbidden', '200', '200']);
    expect([codeOf(await read(by('new@example.com'))), codeOf(await client.get('/api/v1/mode', by('new@example.com')))]).toEqual([
      '403 forbidden',
      '200',
    ]);
    store.grant({ email: ROOT, role: 'admin' });
    expect(codeOf(await read(by(VIEWER)))).toBe('403 forbidden');
  });

  test('is one address in upper and lower case', async () => {
    expect((await session(by('Root@Example.COM'))).body.data).toMatchObject({ email: ROOT, role: 'admin' });
  });

  test('is the one of the header where the cookie has another address, and the cookie is removed', async () => {
    const answer = await read({ ...by(VIEWER), ...cookieOf(ROOT) });
    expect([codeOf(answer), answer.headers.get('set-cookie')]).toEqual(['200', expect.stringMatching(/^evenkeel=; .*Max-Age=0$/)]);
    expect(codeOf(await nodes({ ...by(VIEWER), ...cookieOf(ROOT) }))).toBe('403 forbidden');
    expect(codeOf(await createKey({ ...by(ROOT), ...cookieOf(VIEWER) }))).toBe('403 session_required');
    const replaced = await session({ ...by(VIEWER), ...cookieOf(ROOT) });
    expect(openSession(cookieIn(replaced)['cookie']!.slice('evenkeel='.length), store.keys, now, DEFAULT_SESSION_LIMITS)?.email).toBe(
      VIEWER,
    );
  });

  test('is refused with a request of another site, as with a cookie', async () => {
    expect(codeOf(await change({ ...by(ROOT), 'sec-fetch-site': 'cross-site' }))).toBe('403 csrf_failed');
    expect(codeOf(await change({ ...by(ROOT), origin: 'https://evil.example' }))).toBe('403 csrf_failed');
    expect(codeOf(await session({ ...by(ROOT), 'sec-fetch-site': 'same-site' }))).toBe('403 csrf_failed');
  });

  test('may not read while the grants cannot be confirmed', async () => {
    store.isOut = true;
    expect(codeOf(await read(by(ROOT)))).toBe('503 not_ready');
    expect((await session(by(ROOT))).body.data).toMatchObject({ authenticated: false, role: null });
  });
});

test('access events name the proxy as the way in, and have the session that begins', async () => {
  const answers = [await session(by(ROOT)), await change(by(ROOT)), await change(by(VIEWER))];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 403]);
  const events = world.history.accessEvents.toReversed();
  expect(events.map(({ actor, outcome }) => [actor.email, actor.via, outcome])).toEqual([
    [ROOT, 'proxy', 'allowed'],
    [ROOT, 'proxy', 'allowed'],
    [VIEWER, 'proxy', 'denied'],
  ]);
});

describe('an API key in a request of the proxy', () => {
  test('wins over the header', async () => {
    expect(codeOf(await nodes({ ...by(ROOT), ...keyOf(VIEWER) }))).toBe('403 forbidden');
    expect(codeOf(await change({ ...by(ROOT), ...keyOf(ROOT) }))).toBe('403 api_key_read_only');
    expect(codeOf(await read({ ...by(ROOT), authorization: 'Bearer wrong' }))).toBe('401 unauthenticated');
  });

  test('is not a Basic credential, which some proxies add', async () => {
    expect(codeOf(await read({ ...by(ROOT), authorization: 'Basic cm9vdDpyb290' }))).toBe('200');
  });
});

describe('the session of the proxy’s user', () => {
  test('begins with /auth/session, and has what needs one', async () => {
    expect(codeOf(await createKey(by(ROOT)))).toBe('403 session_required');
    const begun = await session(by(ROOT));
    expect(begun.body.data).toMatchObject({
      email: ROOT,
      expiresAt: expect.any(String),
      capabilities: expect.arrayContaining(['manage-keys']),
    });
    expect(codeOf(await createKey({ ...by(ROOT), ...cookieIn(begun) }))).toBe('201');
    const again = await session({ ...by(ROOT), ...cookieIn(begun) });
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(world.logger.lines.filter(({ message }) => message === 'Signed in')).toHaveLength(1);
  });

  test('is no credential without the header of the proxy', async () => {
    const cookie = cookieIn(await session(by(ROOT)));
    expect([codeOf(await read(cookie)), (await session(cookie)).body.data.authenticated]).toEqual(['401 unauthenticated', false]);
    expect(await codeWith('/api/v1/nodes', ['cookie', cookie['cookie']!, HEADER, ROOT], '127.0.0.2')).toBe(401);
    await restart(null);
    expect(codeOf(await read({ ...by(ROOT), ...cookie }))).toBe('401 unauthenticated');
  });

  test('ends by sign-out on every replica, and the next one has another id', async () => {
    const begun = cookieIn(await session(by(ROOT)));
    expect(codeOf(await client.send('POST', '/api/v1/auth/logout', undefined, { ...by(ROOT), ...begun }))).toBe('200');
    expect(codeOf(await createKey({ ...by(ROOT), ...begun }))).toBe('403 session_required');
    const next = cookieIn(await session({ ...by(ROOT), ...begun }));
    expect(codeOf(await createKey({ ...by(ROOT), ...next }))).toBe('201');
  });

  test('does not begin anew more than twenty times at once for clients that keep no cookie', async () => {
    const cookies = [];
    for (let sent = 0; sent < 22; sent += 1) cookies.push((await session(by(ROOT))).headers.get('set-cookie') !== null);
    expect(cookies).toEqual([...Array<boolean>(20).fill(true), false, false]);
    expect((await session(by(VIEWER))).headers.get('set-cookie')).not.toBeNull();
  });

  test('does not begin without a session key, and the caller is identified', async () => {
    store.keys = [];
    const answer = await session(by(ROOT));
    expect([answer.status, answer.body.data.email, answer.headers.get('set-cookie')]).toEqual([200, ROOT, null]);
  });

  test('is sealed and renewed like every other', async () => {
    const begun = cookieIn(await session(by(ROOT)));
    now += HOUR_MS - 1;
    const renewed = await read({ ...by(ROOT), ...begun });
    expect(codeOf(await createKey({ ...by(ROOT), ...cookieIn(renewed) }))).toBe('201');
    now += HOUR_MS;
    expect(codeOf(await createKey({ ...by(ROOT), ...cookieIn(renewed) }))).toBe('403 session_required');
  });
});

describe('a stream of the proxy’s user', () => {
  test('ends with the grant, and an hour after the proxy identified the user', async () => {
    const open = async (): Promise<LoopbackClient> => {
      const stream = new LoopbackClient(client.port);
      stream.write(`GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n${HEADER}: ${VIEWER}\r\n\r\n`);
      expect(await stream.reads('event: hello')).toContain(' 200 OK');
      return stream;
    };
    const revoked = await open();
    store.grant({ email: ROOT, role: 'admin' });
    expect(await revoked.reads('\r\n0\r\n')).toContain('\r\n0\r\n');
    revoked.close();
    store.grant({ email: VIEWER, role: 'viewer', namespaces: ['shop'] });
    const idle = await open();
    now += HOUR_MS - 1;
    world.timer.advance(15_000);
    await idle.reads('keep-alive');
    now += 1;
    world.timer.advance(15_000);
    expect(await idle.reads('\r\n0\r\n')).toContain('\r\n0\r\n');
    idle.close();
  });
});

describe('the header', () => {
  test('of an address that is no proxy has no effect, and a warning names the address', async () => {
    expect(await codeWith('/api/v1/nodes', [HEADER, ROOT], '127.0.0.2')).toBe(401);
    expect(await codeWith('/api/v1/nodes', [HEADER, ROOT, 'x-forwarded-for', '127.0.0.1'], '127.0.0.2')).toBe(401);
    expect(await codeWith('/api/v1/nodes', [HEADER, ROOT, HEADER, ROOT], '127.0.0.2')).toBe(401);
    expect(await codeWith('/api/v1/nodes', [HEADER, VIEWER, 'cookie', cookieOf(ROOT)['cookie']!], '127.0.0.2')).toBe(200);
    expect(world.logger.lines.filter(({ message }) => message.startsWith('Ignored the identity header'))).toHaveLength(4);
    expect(JSON.stringify(world.logger.lines)).not.toContain(ROOT);
  });

  test('has no effect without the setting', async () => {
    await restart(null);
    expect(codeOf(await nodes(by(ROOT)))).toBe('401 unauthenticated');
  });

  test('has no effect under another name', async () => {
    for (const name of ['x-forwarded-user', 'x_forwarded_email', 'x-forwarded-email-', 'x-auth-request-email'])
      expect([name, codeOf(await nodes({ [name]: ROOT }))]).toEqual([name, '401 unauthenticated']);
  });

  test('that is empty identifies no user, and the session of the cookie counts', async () => {
    expect(codeOf(await nodes(by('')))).toBe('401 unauthenticated');
    expect(codeOf(await nodes({ ...by(' '), ...cookieOf(ROOT) }))).toBe('200');
  });

  test('in two lines is refused, however they are written', async () => {
    expect(await codeWith('/api/v1/nodes', [HEADER, ROOT, HEADER, VIEWER])).toBe(400);
    expect(await codeWith('/api/v1/nodes', [HEADER, ROOT, 'X-FORWARDED-EMAIL', ROOT])).toBe(400);
    expect(await codeWith('/api/v1/nodes', [HEADER, '', HEADER, ROOT])).toBe(400);
    expect(await codeWith('/api/v1/auth/session', [HEADER, ROOT, HEADER, VIEWER])).toBe(200);
  });

  test.each([
    'root',
    'root@example.com, view@example.com',
    'root@example.com,view@example.com',
    'root@example.com;view@example.com',
    'Root <root@example.com>',
    '"root"@example.com',
    'root@example.com@evil.example',
    '@example.com',
    'root@',
    'root @example.com',
    'root@example.com\tx',
    `${'a'.repeat(250)}@example.com`,
    'root@exampl\u00e9.com',
    Buffer.from('rооt@example.com').toString('latin1'),
    Buffer.from('root＠example.com').toString('latin1'),
  ])('%j is refused', async (value) => {
    const answer = await nodes({ ...by(value), ...cookieOf(ROOT) });
    expect([codeOf(answer), answer.body.error.details]).toEqual([
      '400 invalid_request',
      [{ path: `header.${HEADER}`, message: 'must be one e-mail address, in one line of the proxy' }],
    ]);
    expect(answer.text).not.toContain(value);
  });
});
