// Rate limits of requests by address and by credential, and of failed authentications by address.

import { createHash, randomInt } from 'node:crypto';
import { get } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type Answered, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { MINUTE_MS } from '#kube/units';
import { mintApiKey } from '../core/access/api-key.ts';
import { hashPassword } from '../runtime/passwords/password-hash.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';
import type { DashboardOptions } from './options.ts';

const PASSWORD = 'correct horse battery';
const ROOT = 'root@example.com';
const VIEWER = 'view@example.com';
const UNLIMITED = { perSecond: 1e6, burst: 1e6 };
type Headers = Readonly<Record<string, string>>;

let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

let now: number;
let world: DashboardWorld;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(() => {
  now = Date.UTC(2026, 10, 27, 12);
  store = new FakeAccessStore();
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  store.grant({ email: ROOT, role: 'admin' }, { email: VIEWER, role: 'viewer', namespaces: ['shop'] });
  store.admin = { email: ROOT, passwordHash };
});
afterEach(() => client.close());

async function start(options: Partial<DashboardOptions>, isEnabled = true): Promise<void> {
  client = await startDashboard(world, options, isEnabled ? { store, now: () => now, isLocalEnabled: true, proxy: null } : null);
}
const cookieOf = (email: string): Headers => ({ cookie: `evenkeel=${sealSession(newSession(email, now), store.keys)}` });
const keyOf = (email: string): Headers => {
  const { id, text } = mintApiKey((below) => randomInt(below));
  const hash = createHash('sha256').update(text).digest('hex');
  store.stored.set(id, { id, email, label: 'test', hash, createdAt: now, createdBy: ROOT, lastUsedAt: null });
  return { authorization: `Bearer ${text}` };
};
const INVALID_KEY: Headers = { authorization: 'Bearer ek_wrong' };

const codeOf = ({ status, body }: Answered): string => `${status}${status < 400 ? '' : ` ${String(body.error.code)}`}`;
const mode = (headers: Headers = {}) => client.get('/api/v1/mode', headers);
const signIn = (password: string, headers: Headers = {}) => client.send('POST', '/api/v1/auth/local', { email: ROOT, password }, headers);
const codesOf = async (count: number, request: () => Promise<Answered>): Promise<readonly string[]> => {
  const codes: string[] = [];
  for (let sent = 0; sent < count; sent += 1) codes.push(codeOf(await request()));
  return codes;
};

/** Sends a GET with these header lines as they are. */
const statusWith = (lines: readonly string[]): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = ['host', '127.0.0.1', ...lines];
    get({ host: '127.0.0.1', port: client.port, path: '/api/v1/mode', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });

describe('requests with a credential', () => {
  beforeEach(() => start({ rates: { address: UNLIMITED, credential: { perSecond: 1, burst: 3 } } }));

  test('beyond its rate are refused with the seconds to wait, and those of other credentials are answered', async () => {
    const [session, key] = [cookieOf(ROOT), keyOf(VIEWER)];
    expect(await codesOf(4, () => mode(session))).toEqual(['200', '200', '200', '429 rate_limited']);
    const refused = await mode(session);
    expect([refused.headers.get('retry-after'), refused.body.error.message]).toEqual([
      '1',
      'Too many requests with this credential. Try again in 1 s.',
    ]);
    expect(await codesOf(4, () => mode(key))).toEqual(['200', '200', '200', '429 rate_limited']);
    expect([codeOf(await mode(keyOf(VIEWER))), codeOf(await mode(cookieOf(VIEWER)))]).toEqual(['200', '200']);
    world.timer.advance(1000);
    expect(await codesOf(2, () => mode(session))).toEqual(['200', '429 rate_limited']);
  });

  test('count for all sessions of a user together', async () => {
    expect(await codesOf(4, () => mode(cookieOf(VIEWER)))).toEqual(['200', '200', '200', '429 rate_limited']);
  });

  test('count also where they are refused for another reason', async () => {
    const key = keyOf(ROOT);
    const change = () => client.send('PUT', '/api/v1/overrides/shop/cart/exclude', { excluded: true }, key);
    expect(await codesOf(4, change)).toEqual([...Array<string>(3).fill('403 api_key_read_only'), '429 rate_limited']);
  });

  test('are counted in the metric', async () => {
    await codesOf(5, () => mode(cookieOf(VIEWER)));
    expect(world.metrics.total('evenkeel_http_rate_limited_total')).toBe(2);
  });
});

describe('requests of one address', () => {
  const rates = { address: { perSecond: 1, burst: 2 }, credential: UNLIMITED };

  test('without a valid credential are refused beyond its rate before a credential is verified', async () => {
    await start({ rates });
    expect(await codesOf(3, () => mode())).toEqual(['401 unauthenticated', '401 unauthenticated', '429 rate_limited']);
    store.isOut = true;
    expect(codeOf(await mode(cookieOf(ROOT)))).toBe('429 rate_limited');
  });

  test('with valid credentials do not count for the address', async () => {
    await start({ rates });
    expect(new Set(await codesOf(10, () => mode(cookieOf(ROOT))))).toEqual(new Set(['200']));
    expect(await codesOf(3, () => mode())).toEqual(['401 unauthenticated', '401 unauthenticated', '429 rate_limited']);
  });

  test('all count while authentication is off', async () => {
    await start({ rates }, false);
    expect(await codesOf(3, () => mode(cookieOf(ROOT)))).toEqual(['200', '200', '429 rate_limited']);
  });

  test('behind a trusted proxy count for each client of it, by the hop that the proxy appended', async () => {
    await start({ rates, trustedProxies: ['127.0.0.0/8'] }, false);
    const from = (forwarded: string) => () => mode({ 'x-forwarded-for': forwarded });
    expect(await codesOf(3, from('198.51.100.1'))).toEqual(['200', '200', '429 rate_limited']);
    expect(await codesOf(2, from('198.51.100.2'))).toEqual(['200', '200']);
    expect(codeOf(await from('203.0.113.77, 198.51.100.1')())).toBe('429 rate_limited');
    expect(codeOf(await from('::ffff:198.51.100.1')())).toBe('429 rate_limited');
    expect(codeOf(await from('198.51.100.1:4711')())).toBe('429 rate_limited');
  });

  test('behind a trusted proxy that appends a line of its own count by that line', async () => {
    await start({ rates, trustedProxies: ['127.0.0.1'] }, false);
    const statuses = [];
    for (const spoofed of ['203.0.113.1', '203.0.113.2', '203.0.113.3'])
      statuses.push(await statusWith(['x-forwarded-for', spoofed, 'X-Forwarded-For', '198.51.100.1']));
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('behind a trusted proxy that names no address count for the proxy', async () => {
    await start({ rates, trustedProxies: ['127.0.0.1'] }, false);
    const unknown = ['unknown', 'x'.repeat(4000), '999.1.1.1'].map((text) => ({ 'x-forwarded-for': text }));
    const answers = [];
    for (const headers of unknown) answers.push(codeOf(await mode(headers)));
    expect(answers).toEqual(['200', '200', '429 rate_limited']);
  });

  test('that forges X-Forwarded-For count for its connection', async () => {
    await start({ rates, trustedProxies: ['10.0.0.0/8'] }, false);
    let sent = 0;
    const forged = () =>
      mode({ 'x-forwarded-for': `203.0.113.${(sent += 1)}`, forwarded: `for=203.0.113.${sent}`, 'x-real-ip': '203.0.113.1' });
    expect(await codesOf(3, forged)).toEqual(['200', '200', '429 rate_limited']);
  });
});

describe('failed authentications of one address', () => {
  test('by invalid API keys refuse further invalid ones, and neither passwords nor valid credentials', async () => {
    await start({});
    expect(await codesOf(11, () => mode(INVALID_KEY))).toEqual([...Array<string>(10).fill('401 unauthenticated'), '429 rate_limited']);
    expect(codeOf(await mode(keyOf(VIEWER)))).toBe('200');
    expect(codeOf(await mode(cookieOf(VIEWER)))).toBe('200');
    expect([codeOf(await signIn('wrong')), codeOf(await signIn(PASSWORD))]).toEqual(['401 unauthenticated', '200']);
    const refused = await mode(INVALID_KEY);
    expect([codeOf(refused), refused.headers.get('retry-after')]).toEqual(['429 rate_limited', '60']);
    world.timer.advance(MINUTE_MS);
    expect(codeOf(await mode(INVALID_KEY))).toBe('401 unauthenticated');
  });

  test('by wrong passwords refuse passwords and invalid API keys, and no valid credential', async () => {
    await start({ maxFailuresPerMinute: 2 });
    const [key, session] = [keyOf(VIEWER), cookieOf(VIEWER)];
    expect(await codesOf(3, () => signIn('wrong'))).toEqual(['401 unauthenticated', '401 unauthenticated', '429 rate_limited']);
    const answers = [await signIn(PASSWORD), await mode(INVALID_KEY), await mode(key), await mode(session)];
    expect(answers.map(codeOf)).toEqual(['429 rate_limited', '429 rate_limited', '200', '200']);
  });

  test('behind a trusted proxy do not count for its other clients', async () => {
    await start({ maxFailuresPerMinute: 1, trustedProxies: ['127.0.0.1'] });
    const from = (address: string): Headers => ({ 'x-forwarded-for': address });
    expect([codeOf(await signIn('wrong', from('198.51.100.1'))), codeOf(await signIn(PASSWORD, from('198.51.100.1')))]).toEqual([
      '401 unauthenticated',
      '429 rate_limited',
    ]);
    expect(codeOf(await signIn(PASSWORD, from('198.51.100.2')))).toBe('200');
  });

  test('do not include sessions that have ended, which an open page still sends', async () => {
    await start({ maxFailuresPerMinute: 1 });
    const ended = cookieOf(ROOT);
    now += 13 * 60 * MINUTE_MS;
    expect(new Set(await codesOf(5, () => mode(ended)))).toEqual(new Set(['401 unauthenticated']));
    expect(codeOf(await signIn(PASSWORD))).toBe('200');
  });

  test('that wait for their turn are at most two of an address, and others are verified', async () => {
    await start({ trustedProxies: ['127.0.0.1'] });
    const opened = Promise.withResolvers<null>();
    const localAdmin = store.localAdmin.bind(store);
    store.localAdmin = () => opened.promise.then(localAdmin);
    const flood = Array.from({ length: 8 }, () => signIn('wrong', { 'x-forwarded-for': '198.51.100.1' }));
    const sixRefused = Promise.withResolvers<null>();
    let answers = 0;
    for (const attempt of flood) {
      void attempt.then(() => {
        answers += 1;
        if (answers === 6) sixRefused.resolve(null);
      });
    }
    await sixRefused.promise;
    const other = signIn(PASSWORD, { 'x-forwarded-for': '198.51.100.2' });
    opened.resolve(null);
    expect(codeOf(await other)).toBe('200');
    const codes = (await Promise.all(flood)).map(codeOf).toSorted();
    expect(codes).toEqual([...Array<string>(2).fill('401 unauthenticated'), ...Array<string>(6).fill('429 rate_limited')]);
  });
});
