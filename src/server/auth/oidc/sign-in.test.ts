// Sign-in by OpenID Connect over HTTP, at an issuer that answers rightly or wrongly.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../../../test/builders/dashboard-world.ts';
import { startDashboard, type Answered, type DashboardClient } from '../../../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../../../test/fakes/fake-access-store.ts';
import { CLIENT_ID, CLIENT_SECRET, FakeIssuer } from '../../../../test/fakes/fake-issuer.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';
import { ANSWER_MS } from '../../../adapters/oidc/issuer-fetch.ts';
import { OidcIssuer } from '../../../adapters/oidc/oidc-issuer.ts';
import type { DashboardOptions } from '../../options.ts';
import { DEFAULT_SESSION_LIMITS } from '../../../core/access/session-limits.ts';
import { newSession, openSession, sealSession } from '../session-cookie.ts';

let folder: string;
let clientSecretFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-oidc-'));
  clientSecretFile = join(folder, 'secret');
  writeFileSync(clientSecretFile, `${CLIENT_SECRET}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

let now: number;
let world: DashboardWorld;
let store: FakeAccessStore;
let issuer: FakeIssuer;
let provider: OidcIssuer;
let client: DashboardClient;
beforeEach(async () => {
  now = Date.UTC(2026, 10, 27, 12);
  store = new FakeAccessStore();
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  store.grant({ email: 'ana@example.com', role: 'viewer', namespaces: ['shop'] });
  issuer = await FakeIssuer.start();
  provider = providerOf();
  client = await start();
});
afterEach(async () => {
  await client.close();
  await issuer.stop();
});

const providerOf = (): OidcIssuer =>
  new OidcIssuer({
    settings: {
      issuer: issuer.url,
      clientId: CLIENT_ID,
      clientSecretFile,
      scopes: ['openid', 'email', 'profile'],
      caFile: '',
      displayName: 'Example',
    },
    timer: world.timer,
    random: { next: () => 0 },
    logger: world.logger,
  });
const start = (options: Partial<DashboardOptions> = {}) =>
  startDashboard(
    world,
    { anonymousWrites: false, ...options },
    { store, now: () => now, isLocalEnabled: false, proxy: null, identityProvider: provider },
  );

/** The cookie that the answer sets, as the browser sends it back; empty: removed or not set. */
const cookieIn = ({ headers }: Answered, name: string): string => {
  const set = headers.getSetCookie().find((text) => text.startsWith(`${name}=`));
  const pair = set?.split(';')[0] ?? '';
  return pair === `${name}=` ? '' : pair;
};
const begin = async (query = '') => {
  const answer = await client.get(`/auth/login${query}`);
  return { answer, location: answer.headers.get('location') ?? '', cookie: cookieIn(answer, 'evenkeel-sign-in') };
};
const open = (url: URL, cookie: string, server = client) => server.get(`${url.pathname}${url.search}`, { cookie });
/** A whole sign-in. */
const signIn = async (query = ''): Promise<Answered> => {
  const { location, cookie } = await begin(query);
  return open(issuer.authorize(location), cookie);
};
const sessionOf = (answer: Answered) => {
  const cookie = cookieIn(answer, 'evenkeel');
  return cookie === '' ? null : openSession(cookie.slice('evenkeel='.length), store.keys, now, DEFAULT_SESSION_LIMITS);
};
/** Status, title of the page, and that no session began. */
const refusalOf = (answer: Answered) => {
  expect(sessionOf(answer)).toBeNull();
  expect(answer.headers.get('content-type')).toContain('text/html');
  expect(cookieIn(answer, 'evenkeel-sign-in')).toBe('');
  return `${answer.status} ${/<h1[^>]*>(.*?)<\/h1>/.exec(answer.text)?.[1] ?? ''}`;
};

describe('a sign-in', () => {
  test('asks the issuer by code flow with PKCE, state and nonce, new ones each time', async () => {
    const [first, second] = [await begin(), await begin()];
    const asked = new URL(first.location).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      scope: 'openid email profile',
      redirect_uri: `${client.origin}/auth/callback`,
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
      expect(new URL(second.location).searchParams.get(name)).not.toBe(asked.get(name));
    }
    expect(first.answer.headers.get('set-cookie')).toMatch(/^evenkeel-sign-in=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  });

  test('begins a session of 12 hours with the verified address and name', async () => {
    const answer = await signIn('?returnTo=%2F%3Fshow%3Dopen');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/?show=open']);
    expect(sessionOf(answer)).toMatchObject({ email: 'ana@example.com', name: 'Ana', via: 'oidc', createdAt: now });
    const headers = { cookie: cookieIn(answer, 'evenkeel') };
    expect((await client.get('/api/v1/auth/session', headers)).body.data).toMatchObject({
      authenticated: true,
      email: 'ana@example.com',
      name: 'Ana',
      role: 'viewer',
      namespaces: ['shop'],
    });
    now += HOUR_MS;
    expect((await client.get('/api/v1/mode', headers)).status).toBe(401);
  });

  test('finds the address at the UserInfo endpoint where the ID token has none', async () => {
    issuer.claims = { email: undefined, email_verified: undefined, name: undefined };
    issuer.userinfo = { email: 'Ben@Example.com', email_verified: true, name: 'Ben' };
    expect(sessionOf(await signIn())).toMatchObject({ email: 'ben@example.com', name: 'Ben' });
  });

  test('is completed by any replica', async () => {
    const replica = await start();
    const { location, cookie } = await begin();
    expect(sessionOf(await open(issuer.authorize(location), cookie, replica))).not.toBeNull();
    await replica.close();
  });

  test('over TLS has cookies that no subdomain can set, and returns to the public address', async () => {
    await client.close();
    client = await start({ publicUrl: 'https://keel.example.com/ui', allowedHosts: ['127.0.0.1'], trustedProxies: ['loopback'] });
    const elsewhere = await client.get('/auth/login?returnTo=%2Fui%2F%3Fq%3Da');
    expect(elsewhere.headers.get('location')).toBe('https://keel.example.com/ui/auth/login?returnTo=%2Fui%2F%3Fq%3Da&redirected=');
    const { checks, cookie } = await beginAtPublicUrl();
    expect(checks).toBe('https://keel.example.com/ui/auth/callback');
    expect(cookie).toMatch(/^__Host-evenkeel-sign-in=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/);
  });

  test('through a proxy that changes the Host names the cause instead of redirecting without end', async () => {
    await client.close();
    client = await start({ publicUrl: 'https://keel.example.com/ui' });
    const first = await client.get('/auth/login');
    const { pathname, search } = new URL(first.headers.get('location') ?? '');
    const second = await client.get(`${pathname.replace('/ui', '')}${search}`);
    expect([first.status, refusalOf(second)]).toEqual([303, '400 Not possible']);
    expect(second.text).toContain('must pass on the Host keel.example.com');
  });

  test.each([
    ['//example.com', '../'],
    ['/\\example.com', '../'],
    ['/%2Fexample.com', '../'],
    ['https://example.com/', '../'],
    ['/auth/logout', '../'],
    ['/?q=web', '/?q=web'],
  ])('with the return path %s goes to %s', async (returnTo, location) => {
    const answer = await signIn(`?returnTo=${encodeURIComponent(returnTo)}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
  });

  test('ends the session that the browser had', async () => {
    const old = newSession('eve@example.com', now);
    const { location, cookie } = await begin();
    await open(issuer.authorize(location), `${cookie}; evenkeel=${sealSession(old, store.keys)}`);
    expect(store.ended.has(old.id)).toBe(true);
  });

  test('leaves no token, code, secret or state in the log, and stores none', async () => {
    const { location, cookie } = await begin();
    const callback = issuer.authorize(location);
    const answer = await open(callback, cookie);
    issuer.claims = { aud: 'another' };
    await signIn();
    const everything = JSON.stringify([world.logger, [...store.stored], [...store.ended], sessionOf(answer)]);
    expect(everything).toContain('Signed in');
    expect(everything).toContain('Sign-in failed');
    const asked = new URL(location).searchParams;
    for (const secret of [
      callback.searchParams.get('code')!,
      asked.get('state')!,
      asked.get('nonce')!,
      CLIENT_SECRET,
      'an access token',
      'eyJ',
    ])
      expect(everything).not.toContain(secret);
  });

  function beginAtPublicUrl() {
    return new Promise<{ checks: string; cookie: string }>((resolve, reject) => {
      const headers = { host: 'keel.example.com', 'x-forwarded-proto': 'https' };
      request({ port: client.port, path: '/auth/login', headers }, (response) => {
        response.resume();
        const asked = new URL(response.headers.location ?? '').searchParams;
        resolve({ checks: asked.get('redirect_uri') ?? '', cookie: response.headers['set-cookie']?.[0] ?? '' });
      })
        .once('error', reject)
        .end();
    });
  }
});

describe('a sign-in is refused', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['an address that is not verified', { email_verified: false }, '403 E-mail address not verified'],
    ['an address without a word on that', { email_verified: undefined }, '403 E-mail address not verified'],
    ['an address that is verified in words', { email_verified: 'true' }, '403 E-mail address not verified'],
    ['no address', { email: undefined }, '403 No e-mail address'],
    ['two addresses in one', { email: 'ana@example.com eve@example.com' }, '403 No e-mail address'],
    ['another audience', { aud: 'another' }, '403 Not signed in'],
    ['several audiences and another party', { aud: [CLIENT_ID, 'another'], azp: 'another' }, '403 Not signed in'],
    ['another issuer', { iss: 'https://example.com' }, '403 Not signed in'],
    ['another nonce', { nonce: 'another' }, '403 Not signed in'],
    ['no nonce', { nonce: undefined }, '403 Not signed in'],
    ['no expiry', { exp: undefined }, '403 Not signed in'],
  ])('with %s', async (_what, claims, expected) => {
    issuer.claims = claims;
    expect(refusalOf(await signIn())).toBe(expected);
  });

  test('with a clock that differs by more than a minute, and accepted by less', async () => {
    issuer.skewMs = -(5 * MINUTE_MS + 50 * SECOND_MS);
    expect(sessionOf(await signIn())).not.toBeNull();
    issuer.skewMs = -(5 * MINUTE_MS + 70 * SECOND_MS);
    const refused = await signIn();
    expect(refusalOf(refused)).toBe('403 Not signed in');
    expect(refused.text).toContain('clocks');
  });

  test.each<[string, (callback: URL) => void]>([
    ['another state', ({ searchParams }) => searchParams.set('state', 'another')],
    ['no state', ({ searchParams }) => searchParams.delete('state')],
    ['two states', ({ searchParams }) => searchParams.append('state', 'another')],
    ['another issuer (RFC 9207)', ({ searchParams }) => searchParams.set('iss', 'https://example.com')],
    ['no issuer where it announces one', ({ searchParams }) => searchParams.delete('iss')],
    ['another code', ({ searchParams }) => searchParams.set('code', 'another')],
    ['a word that the user declined', ({ searchParams }) => searchParams.set('error', 'access_denied')],
  ])('with an answer that has %s', async (_what, change) => {
    const { location, cookie } = await begin();
    const callback = issuer.authorize(location);
    change(callback);
    expect(refusalOf(await open(callback, cookie))).toBe('403 Not signed in');
  });

  test('in another browser, and where its cookie is of another sign-in', async () => {
    const { location } = await begin();
    expect(refusalOf(await open(issuer.authorize(location), ''))).toBe('400 Sign-in has expired');
    expect(refusalOf(await open(issuer.authorize(location), (await begin()).cookie))).toBe('403 Not signed in');
  });

  test('after ten minutes, and with a cookie that was changed or is a session', async () => {
    const { location, cookie } = await begin();
    const session = sealSession(newSession('ana@example.com', now), store.keys);
    for (const wrong of [`${cookie.slice(0, -1)}A`, `evenkeel-sign-in=${session}`, `${cookie}; ${cookie}`, 'evenkeel-sign-in='])
      expect(refusalOf(await open(issuer.authorize(location), wrong))).toBe('400 Sign-in has expired');
    now += 10 * MINUTE_MS;
    expect(refusalOf(await open(issuer.authorize(location), cookie))).toBe('400 Sign-in has expired');
  });

  test('a second time with the same answer', async () => {
    const { location, cookie } = await begin();
    const callback = issuer.authorize(location);
    const first = await open(callback, cookie);
    expect([sessionOf(first) === null, cookieIn(first, 'evenkeel-sign-in')]).toEqual([false, '']);
    expect(refusalOf(await open(callback, cookieIn(first, 'evenkeel-sign-in')))).toBe('400 Sign-in has expired');
    expect(refusalOf(await open(callback, cookie))).toBe('403 Not signed in');
  });

  test('with the wrong secret of the client', async () => {
    writeFileSync(clientSecretFile, 'wrong');
    const refused = await signIn();
    writeFileSync(clientSecretFile, `${CLIENT_SECRET}\n`);
    expect(refusalOf(refused)).toBe('403 Not signed in');
    expect(refused.text).toContain('not registered correctly');
  });

  test('with any answer after ten failures in a minute', async () => {
    issuer.claims = { email_verified: false };
    for (let attempt = 0; attempt < 10; attempt += 1) await signIn();
    issuer.claims = {};
    const refused = await signIn();
    expect([refusalOf(refused), refused.headers.get('retry-after')]).toEqual(['429 Too many failed sign-ins', '60']);
    world.timer.advance(MINUTE_MS);
    expect(sessionOf(await signIn())).not.toBeNull();
  });

  test('after invalid API keys and answers without a sign-in of the same address is not refused', async () => {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await client.get('/api/v1/mode', { authorization: 'Bearer ek_revoked' });
      expect(refusalOf(await client.get('/auth/callback?code=stale&state=stale'))).toBe('400 Sign-in has expired');
    }
    expect(sessionOf(await signIn())).not.toBeNull();
  });

  test('while access cannot be confirmed', async () => {
    const { location, cookie } = await begin();
    store.isOut = true;
    const answer = await open(issuer.authorize(location), cookie);
    expect([answer.status, answer.headers.get('retry-after'), sessionOf(answer)]).toEqual([503, '5', null]);
  });

  test('by a request of HEAD, which leaves the answer to the browser', async () => {
    const { location, cookie } = await begin();
    const callback = issuer.authorize(location);
    const head = await client.send('HEAD', `${callback.pathname}${callback.search}`, undefined, { cookie });
    expect([head.status, sessionOf(await open(callback, cookie)) === null]).toEqual([405, false]);
  });
});

describe('an issuer', () => {
  test('that rotates its keys is accepted at once, and refused with a key that it does not publish', async () => {
    expect(sessionOf(await signIn())).not.toBeNull();
    issuer.rotateKeys();
    expect(sessionOf(await signIn())).not.toBeNull();
    const other = await FakeIssuer.start();
    issuer.metadata = { jwks_uri: `${other.url}/jwks` };
    world.timer.advance(MINUTE_MS);
    expect(refusalOf(await signIn())).toBe('403 Not signed in');
    await other.stop();
  });

  test('that is away is named on a page, and used again when it is back', async () => {
    await issuer.stop();
    const { answer } = await begin();
    expect([refusalOf(answer), answer.headers.get('retry-after')]).toEqual(['503 Sign-in is not available', '5']);
    expect(answer.text).toContain('Example does not answer');
    expect(provider.problem).toContain('cannot be reached');
    await issuer.resume();
    world.timer.advance(SECOND_MS);
    expect(sessionOf(await signIn())).not.toBeNull();
    expect(provider.problem).toBeNull();
  });

  test('that goes away during a sign-in is named on a page', async () => {
    const { location, cookie } = await begin();
    const callback = issuer.authorize(location);
    issuer.failWith = 502;
    expect(refusalOf(await open(callback, cookie))).toBe('503 Sign-in is not available');
  });

  test('that is slow is waited for ten seconds', async () => {
    issuer.isHanging = true;
    const asked = issuer.nextRequest();
    const answer = client.get('/auth/login');
    await asked;
    world.timer.advance(ANSWER_MS);
    expect(refusalOf(await answer)).toBe('503 Sign-in is not available');
    issuer.isHanging = false;
  });

  test('is asked once for all who wait, and not again before the back-off ends', async () => {
    issuer.failWith = 500;
    const answers = await Promise.all([begin(), begin(), begin()]);
    expect(answers.map(({ answer }) => answer.status)).toEqual([503, 503, 503]);
    await begin();
    expect(issuer.requests).toHaveLength(1);
    world.timer.advance(SECOND_MS);
    await begin();
    expect(issuer.requests).toHaveLength(2);
    world.timer.advance(SECOND_MS);
    await begin();
    expect(issuer.requests).toHaveLength(2);
  });

  test('is read in the background, with back-off while it is away', async () => {
    const stop = new AbortController();
    issuer.failWith = 500;
    let asked = issuer.nextRequest();
    const running = provider.run(stop.signal);
    await asked;
    issuer.failWith = null;
    await provider.authorizationUrl(provider.createChecks(`${client.origin}/auth/callback`)).catch(() => undefined);
    expect(provider.problem).toContain('HTTP 500');
    asked = issuer.nextRequest();
    world.timer.advance(SECOND_MS);
    await asked;
    await provider.authorizationUrl(provider.createChecks(`${client.origin}/auth/callback`));
    expect(provider.problem).toBeNull();
    stop.abort();
    await running;
  });

  test('whose configuration is of another issuer is not used', async () => {
    issuer.metadata = { issuer: 'https://example.com' };
    expect(refusalOf((await begin()).answer)).toBe('503 Sign-in is not available');
  });
});

describe('a sign-out', () => {
  test('ends the session, then the one at the issuer', async () => {
    const cookie = cookieIn(await signIn(), 'evenkeel');
    const asked = await client.get('/auth/logout', { cookie });
    expect([asked.status, asked.text.includes('You are signed in as ana@example.com')]).toEqual([200, true]);
    expect(asked.headers.get('content-security-policy')).toContain(`form-action 'self' ${issuer.url};`);
    expect((await client.get('/api/v1/mode', { cookie })).status).toBe(200);
    const answer = await client.send('POST', '/auth/logout', undefined, { cookie });
    const location = new URL(answer.headers.get('location') ?? '');
    expect([answer.status, `${location.origin}${location.pathname}`]).toEqual([303, `${issuer.url}/end`]);
    expect(Object.fromEntries(location.searchParams)).toEqual({ client_id: CLIENT_ID, post_logout_redirect_uri: `${client.origin}/` });
    expect((await client.get('/api/v1/mode', { cookie })).status).toBe(401);
  });

  test('returns to the dashboard where the issuer offers none, for another session, and without one', async () => {
    const local = { cookie: `evenkeel=${sealSession(newSession('ana@example.com', now), store.keys)}` };
    await begin();
    const answers = [await client.send('POST', '/auth/logout', undefined, local), await client.send('POST', '/auth/logout')];
    issuer.metadata = { end_session_endpoint: undefined };
    world.timer.advance(MINUTE_MS);
    answers.push(await client.send('POST', '/auth/logout', undefined, { cookie: cookieIn(await signIn(), 'evenkeel') }));
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, '../'],
      [303, '../'],
      [303, '../'],
    ]);
  });

  test('by another site is refused', async () => {
    const cookie = cookieIn(await signIn(), 'evenkeel');
    const answer = await client.send('POST', '/auth/logout', undefined, { cookie, 'sec-fetch-site': 'cross-site' });
    expect([answer.status, (await client.get('/api/v1/mode', { cookie })).status]).toEqual([403, 200]);
  });
});

test('without an issuer, sign-in leads to the dashboard’s own page', async () => {
  await client.close();
  client = await startDashboard(world, {}, { store, now: () => now, isLocalEnabled: true, proxy: null });
  const [login, callback] = [await client.get('/auth/login?returnTo=%2F%3Fq%3Da'), await client.get('/auth/callback?code=x')];
  expect([login.status, login.headers.get('location'), callback.status]).toEqual([303, '/?q=a', 404]);
});
