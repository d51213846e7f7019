// Credentials and addresses as an attacker, or a broken client, would send them.

import { createHash, randomInt } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type Answered, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { HOUR_MS } from '#kube/units';
import { mintApiKey } from '../core/access/api-key.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';

const ROOT = 'root@example.com';
type Headers = Readonly<Record<string, string>>;

let now: number;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(async () => {
  now = Date.UTC(2026, 10, 27, 12);
  store = new FakeAccessStore();
  const shop = dashboardWorld();
  store.grant({ email: ROOT, role: 'admin' });
  const options = { anonymousWrites: false, maxFailuresPerMinute: 1000 };
  const access = { store, now: () => now, isLocalEnabled: true, proxy: null };
  client = await startDashboard({ ...shop, sources: { ...shop.sources, access: store } }, options, access);
});
afterEach(() => client.close());

const sealed = (email = ROOT, at = now): string => sealSession(newSession(email, at), store.keys);
const cookie = (value: string): Headers => ({ cookie: `evenkeel=${value}` });
const keyOf = (email: string): string => {
  const { id, text } = mintApiKey((below) => randomInt(below));
  const hash = createHash('sha256').update(text).digest('hex');
  store.stored.set(id, { id, email, label: 'test', hash, createdAt: now, createdBy: ROOT, lastUsedAt: null });
  return text;
};
const codeOf = ({ status, body }: Answered): string => `${status}${status < 400 ? '' : ` ${String(body.error.code)}`}`;
const read = (headers: Headers) => client.get('/api/v1/nodes', headers);

/** Sends a request with these header lines as they are: fetch changes some. */
const statusWith = (lines: readonly string[], { method = 'GET', path = '/api/v1/nodes', host = '127.0.0.1' } = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = host === '' ? [...lines] : ['host', host, ...lines];
    httpRequest({ host: '127.0.0.1', port: client.port, method, path, headers, setHost: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once('error', reject)
      .end();
  });

describe('an API key is no credential', () => {
  const swapCase = (text: string): string =>
    text.replaceAll(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
  test.each<[string, (key: string) => string]>([
    ['without its last character', (key) => key.slice(0, -1)],
    ['without its checksum', (key) => key.slice(0, -6)],
    ['without its prefix', (key) => key.slice(3)],
    ['with a character more', (key) => `${key}a`],
    ['twice', (key) => `${key}${key}`],
    ['twice, with a comma', (key) => `${key}, Bearer ${key}`],
    ['in upper case', (key) => key.toUpperCase()],
    ['in lower case', (key) => key.toLowerCase()],
    ['in the other case', swapCase],
    ['with its prefix in upper case', (key) => `EK${key.slice(2)}`],
    ['in quotes', (key) => `"${key}"`],
    ['percent-encoded', (key) => key.replaceAll('_', '%5F')],
    ['with a hyphen for the underscore', (key) => key.replaceAll('_', '-')],
    ['with a space in it', (key) => `${key.slice(0, 20)} ${key.slice(20)}`],
    ['with a tab at its end', (key) => `${key}\tx`],
    ['with the id of another key', (key) => `ek_aaaaaaaaaaaa_${key.slice(16)}`],
    ['as its stored hash', (key) => createHash('sha256').update(key).digest('hex')],
    ['with bytes that are not ASCII', (key) => `${key}\u00a0`],
    ['with a letter that looks alike', (key) => Buffer.from(key.replace('e', 'е')).toString('latin1')],
    ['of 15,000 characters', (key) => key.padEnd(15_000, 'a')],
  ])('%s', async (_how, change) => {
    const key = keyOf(ROOT);
    const answer = await read({ authorization: `Bearer ${change(key)}` });
    expect([codeOf(answer), answer.headers.get('www-authenticate'), answer.body.data]).toEqual(['401 unauthenticated', 'Bearer', null]);
    expect(codeOf(await read({ authorization: `Bearer ${key}` }))).toBe('200');
  });

  test('of another installation, or removed', async () => {
    const key = keyOf(ROOT);
    store.stored.clear();
    expect(codeOf(await read({ authorization: `Bearer ${key}` }))).toBe('401 unauthenticated');
  });

  test('outside the Authorization header', async () => {
    const key = keyOf(ROOT);
    const elsewhere: readonly Headers[] = [{ 'x-api-key': key }, { 'proxy-authorization': `Bearer ${key}` }, cookie(key)];
    for (const headers of elsewhere) expect(codeOf(await read(headers))).toBe('401 unauthenticated');
    for (const query of [`?api_key=${key}`, `?access_token=${key}`, `?authorization=Bearer%20${key}`])
      expect(codeOf(await client.get(`/api/v1/nodes${query}`))).toBe('401 unauthenticated');
    expect(codeOf(await read({ authorization: key }))).toBe('401 unauthenticated');
    expect(codeOf(await read({ authorization: `Token ${key}` }))).toBe('401 unauthenticated');
  });
});

test('an API key is a credential with the scheme in any case, and with further spaces', async () => {
  const key = keyOf(ROOT);
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'BeArEr '])
    expect(codeOf(await read({ authorization: `${scheme} ${key}` }))).toBe('200');
});

describe('a cookie is no credential', () => {
  test.each<[string, (value: string) => string]>([
    ['without its last character', (value) => value.slice(0, -1)],
    ['without its first character', (value) => value.slice(1)],
    ['without its key id', (value) => value.slice(value.indexOf('.') + 1)],
    ['of the key id alone', (value) => value.slice(0, value.indexOf('.') + 1)],
    ['with another key id', (value) => `2${value.slice(1)}`],
    ['with its key id twice', (value) => `1.${value}`],
    ['with a character more', (value) => `${value}A`],
    ['twice', (value) => `${value}${value}`],
    ['with padding', (value) => `${value}=`],
    ['in the other base64', (value) => Buffer.from(value.slice(2), 'base64url').toString('base64')],
    ['in upper case', (value) => value.toUpperCase()],
    ['in quotes', (value) => `"${value}"`],
    ['percent-encoded', (value) => value.replace('.', '%2E')],
    ['with a space in it', (value) => `${value.slice(0, 30)} ${value.slice(30)}`],
    ['of 10,000 characters', (value) => value.padEnd(10_000, 'A')],
    ['with bytes that are not ASCII', (value) => `${value}\u00e9`],
    ['as plain JSON', () => JSON.stringify(newSession(ROOT, 0)).replaceAll('"', "'")],
  ])('%s', async (_how, change) => {
    expect(codeOf(await read(cookie(change(sealed()))))).toBe('401 unauthenticated');
  });

  test('that another key sealed, under the same id', async () => {
    const forged = sealSession(newSession(ROOT, now), [{ id: '1', bytes: Buffer.alloc(32, 9) }]);
    expect(codeOf(await read(cookie(forged)))).toBe('401 unauthenticated');
  });

  test('from the future, or after its end', async () => {
    expect(codeOf(await read(cookie(sealed(ROOT, now + HOUR_MS))))).toBe('401 unauthenticated');
    expect(codeOf(await read(cookie(sealed(ROOT, now - HOUR_MS))))).toBe('401 unauthenticated');
  });

  test('under another name, in another case, or twice', async () => {
    const value = sealed();
    for (const name of ['Evenkeel', 'EVENKEEL', '__Host-evenkeel', '__Secure-evenkeel', 'evenkeel2', ' evenkeel2'])
      expect([name, codeOf(await read({ cookie: `${name}=${value}` }))]).toEqual([name, '401 unauthenticated']);
    expect(codeOf(await read({ cookie: `evenkeel=${value}; evenkeel=${sealed('x@example.com')}` }))).toBe('401 unauthenticated');
    expect(await statusWith(['cookie', `evenkeel=${value}`, 'cookie', `evenkeel=${value}`])).toBe(401);
  });

  test('among others is found by its name alone', async () => {
    expect(codeOf(await read({ cookie: `a=b; =; ;;x; evenkeel=${sealed()}; c=evenkeel=d` }))).toBe('200');
  });
});

describe('an address that looks like one with a grant', () => {
  const LOOK_ALIKES = [
    'rооt@example.com',
    'root@examp\u217ee.com',
    'root\u200b@example.com',
    'root@example.com\u0000',
    'root@exаmple.com',
    'root＠example.com',
  ];

  test.each(LOOK_ALIKES)('%j gets no API key', async (email) => {
    const answer = await client.send('POST', '/api/v1/api-keys', { email, label: 'x' }, cookie(sealed()));
    expect(['400 invalid_request', '422 no_grant']).toContain(codeOf(answer));
    expect(store.stored.size).toBe(0);
  });

  test.each(LOOK_ALIKES)('%j does not sign in', async (email) => {
    store.admin = { email: ROOT, passwordHash: '' };
    const answer = await client.send('POST', '/api/v1/auth/local', { email, password: 'correct horse battery' });
    expect(['400 invalid_request', '401 unauthenticated']).toContain(codeOf(answer));
  });

  test('in a session has not its grant', async () => {
    expect(codeOf(await read(cookie(sealed('rооt@example.com'))))).toBe('403 forbidden');
    expect(codeOf(await read(cookie(sealed('Root@example.com'))))).toBe('401 unauthenticated');
  });
});

describe('two credentials', () => {
  test('in two Authorization headers are refused in any case and order, valid or not', async () => {
    const key = `Bearer ${keyOf(ROOT)}`;
    expect(await statusWith(['authorization', key, 'Authorization', key])).toBe(400);
    expect(await statusWith(['AUTHORIZATION', key, 'authorization', 'Basic eDp5'])).toBe(400);
    expect(await statusWith(['authorization', 'Basic eDp5', 'authorization', key])).toBe(400);
    expect(await statusWith(['authorization', '', 'authorization', key, 'cookie', `evenkeel=${sealed()}`])).toBe(400);
  });

  test('of which one is an API key count as the API key, also where that is invalid', async () => {
    const headers = { ...cookie(sealed()), authorization: `Bearer ${keyOf('other@example.com')}` };
    expect(codeOf(await read(headers))).toBe('403 forbidden');
    expect(codeOf(await read({ ...cookie(sealed()), authorization: 'Bearer' }))).toBe('401 unauthenticated');
    expect(codeOf(await client.send('POST', '/api/v1/resize-cycle/trigger', undefined, headers))).toBe('403 api_key_read_only');
  });
});

describe('a valid credential', () => {
  const change = { method: 'POST', path: '/api/v1/resize-cycle/trigger' };

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evenkeel.evil.example',
    'evenkeel.evenkeel-system.svc.evil.example',
    '127.0.0.1@evil.example',
    '127.0.0.1, evil.example',
    '127.0.0.1/evil.example',
    '127.1',
    '[::1].evil.example',
    'lоcalhost',
    '',
  ])('is not read with the Host %j', async (host) => {
    const status = await statusWith(['cookie', `evenkeel=${sealed()}`], { host: Buffer.from(host).toString('latin1') });
    expect([400, 403]).toContain(status);
  });

  test('is not read with two Hosts', async () => {
    expect(await statusWith(['cookie', `evenkeel=${sealed()}`, 'host', 'evil.example'])).toBe(400);
  });

  test.each([
    ['https://evil.example'],
    ['null'],
    ['http://127.0.0.1'],
    ['http://127.0.0.1.evil.example'],
    ['http://evil.example/127.0.0.1'],
    ['file://'],
    [''],
    ['http://127.0.0.1:1, http://evil.example'],
  ])('changes nothing for a page of the origin %j', async (origin) => {
    const host = `127.0.0.1:${client.port}`;
    expect(await statusWith(['cookie', `evenkeel=${sealed()}`, 'origin', origin], { ...change, host })).toBe(403);
    expect(await statusWith(['authorization', `Bearer ${keyOf(ROOT)}`, 'origin', origin], { host })).toBe(403);
  });

  test('changes nothing for another site that the browser names, whatever the Origin', async () => {
    const host = `127.0.0.1:${client.port}`;
    for (const site of ['cross-site', 'same-site'])
      expect(
        await statusWith(['cookie', `evenkeel=${sealed()}`, 'origin', `http://${host}`, 'sec-fetch-site', site], { ...change, host }),
      ).toBe(403);
    expect(
      await statusWith(['cookie', `evenkeel=${sealed()}`, 'sec-fetch-site', 'cross-site', 'sec-fetch-mode', 'navigate'], {
        ...change,
        host,
      }),
    ).toBe(403);
  });
});
