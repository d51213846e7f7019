// The security headers of every answer: of each endpoint and asset, by each method, of errors, and of what is no HTTP.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { LoopbackClient } from '../../test/fakes/clients/loopback-client.ts';
import { MAX_HEADERS } from './guards/limit-headers.ts';
import { DASHBOARD_API } from './openapi/document.ts';
import { MAX_HEAD_BYTES } from './server.ts';

const DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

let world: DashboardWorld;
/** Every caller is an admin. */
let open: DashboardClient;
/** No caller has a credential. */
let closed: DashboardClient;
beforeAll(async () => {
  world = dashboardWorld();
  open = await startDashboard(world);
  const store = new FakeAccessStore();
  closed = await startDashboard(world, { anonymousWrites: false }, { store, now: () => Date.now(), isLocalEnabled: true, proxy: null });
});
afterAll(async () => {
  await open.close();
  await closed.close();
});

/** What is wrong with the headers of an answer. */
function findProblems(headers: Headers): readonly string[] {
  const expected: Readonly<Record<string, string>> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
  const wrong = Object.entries(expected).filter(([name, value]) => headers.get(name) !== value);
  const policy = headers.get('content-security-policy') ?? '';
  const directives = new Map(policy.split('; ').map((text) => [text.split(' ')[0], text.split(' ').slice(1).join(' ')]));
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  return [
    ...wrong.map(([name]) => `${name}: ${headers.get(name)}`),
    ...(directives.get('default-src') === "'none'" ? [] : ['default-src']),
    ...(directives.get('frame-ancestors') === "'none'" ? [] : ['frame-ancestors']),
    ...(directives.get('base-uri') === "'none'" ? [] : ['base-uri']),
    ...(directives.get('script-src') === (isPage ? "'self'" : undefined) ? [] : [`script-src ${directives.get('script-src')}`]),
    ...(isPage || policy === DATA_POLICY ? [] : [policy]),
    ...(/unsafe|\*|https?:|data:(?!;)/.test(policy.replace("img-src 'self' data:", '')) ? [policy] : []),
    ...(headers.get('strict-transport-security') === null ? [] : ['HSTS without TLS']),
    ...(headers.get('x-powered-by') === null ? [] : ['x-powered-by']),
  ];
}

const PATHS = [
  ...new Set(DASHBOARD_API.operations.map(({ path }) => `/api/v1${path.replaceAll('{ns}', 'shop').replaceAll(/\{\w+\}/g, 'web')}`)),
  '/',
  '/assets/evenkeel.css',
  '/assets/mark.svg',
  '/assets/none.js',
  '/assets/..%2f..%2fpackage.json',
  '/nowhere',
  '/api',
  '/api/v1/',
  '/api/v1/%ff',
];

describe.each(PATHS)('%s', (path) => {
  test.each(METHODS)('%s', async (method) => {
    for (const client of [open, closed]) {
      // A stream does not end: only its head is read.
      const stop = new AbortController();
      const response = await fetch(`${client.origin}${path}`, { method, signal: stop.signal, redirect: 'manual' });
      expect(findProblems(response.headers)).toEqual([]);
      stop.abort();
    }
  });
});

describe('errors:', () => {
  test.each<[string, number, string, string, Readonly<Record<string, string>>, string | undefined]>([
    ['a foreign host', 403, 'GET', '/api/v1/mode', { 'x-host': 'evil.example.com' }, undefined],
    ['a page of another site', 403, 'GET', '/api/v1/mode', { origin: 'https://evil.example.com' }, undefined],
    ['a body that is no JSON', 400, 'PUT', '/api/v1/recommendations/shop/web/mode', { 'content-type': 'application/json' }, '{'],
    ['a form', 415, 'PUT', '/api/v1/recommendations/shop/web/mode', { 'content-type': 'text/plain' }, '{}'],
    [
      'a large body',
      413,
      'PUT',
      '/api/v1/recommendations/shop/web/mode',
      { 'content-type': 'application/json' },
      `"${'x'.repeat(2 ** 20)}"`,
    ],
    ['an unknown query parameter', 400, 'GET', '/api/v1/pods?nothing=1', {}, undefined],
    ['an expectation that is not met', 200, 'GET', '/api/v1/mode', { 'x-expect': 'nothing' }, undefined],
  ])('%s is answered %d', async (_what, status, method, path, headers, body) => {
    const given = Object.entries(headers).filter(([name]) => !name.startsWith('x-'));
    const host = headers['x-host'] ?? 'localhost';
    const lines = [`Host: ${host}`, ...given.map(([name, value]) => `${name}: ${value}`), 'Connection: close'];
    if (headers['x-expect'] !== undefined) lines.push(`Expect: ${headers['x-expect']}`);
    const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
    const answer = await raw(`${method} ${path} HTTP/1.1\r\n${[...lines, ...length].join('\r\n')}\r\n\r\n${body ?? ''}`);
    expect([answer.status, findProblems(answer.headers)]).toEqual([status, []]);
  });

  test('an internal error is answered 500, without its cause', async () => {
    const mode = {
      mode: () => {
        throw new Error('a secret of the cause');
      },
    };
    const broken = await startDashboard({ ...world, sources: { ...world.sources, mode } });
    const { status, headers, text } = await broken.get('/api/v1/mode');
    expect([status, findProblems(headers)]).toEqual([500, []]);
    expect(text).not.toContain('secret');
    await broken.close();
  });

  test('an address above its rate is answered 429', async () => {
    const strict = await startDashboard(world, {
      rates: { address: { perSecond: 1e-9, burst: 1 }, credential: { perSecond: 1, burst: 1 } },
    });
    await strict.get('/api/v1/mode');
    const { status, headers } = await strict.get('/api/v1/mode');
    expect([status, findProblems(headers)]).toEqual([429, []]);
    await strict.close();
  });

  test.each<[string, number, string]>([
    ['no HTTP', 400, 'nonsense\r\n\r\n'],
    ['a header without a name', 400, 'GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'],
    ['two lengths', 400, 'PUT /api/v1/mode HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a length beside chunks', 400, 'PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['no host', 403, 'GET /api/v1/mode HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a head above its limit', 431, `GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(MAX_HEAD_BYTES)}\r\n\r\n`],
    ['a cookie above its limit', 431, `GET / HTTP/1.1\r\nHost: localhost\r\nCookie: evenkeel=${'x'.repeat(MAX_HEAD_BYTES)}\r\n\r\n`],
    ['a path above its limit', 431, `GET /${'x'.repeat(MAX_HEAD_BYTES)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['too many headers', 400, `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${'a: b\r\n'.repeat(MAX_HEADERS)}\r\n`],
    ['headers that Node.js would ignore', 400, `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${'a:\r\n'.repeat(3000)}\r\n`],
  ])('%s is answered %d', async (_what, status, text) => {
    const answer = await raw(text);
    expect([answer.status, findProblems(answer.headers)]).toEqual([status, []]);
  });

  test('a large cookie within the limit of the head is no session', async () => {
    const answer = await raw(
      `GET /api/v1/auth/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: evenkeel=${'a.'.repeat(7000)}\r\n\r\n`,
      closed,
    );
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"authenticated":false')]);
  });
});

test('no page has a script or a handler of its own, which the policy would have to allow', async () => {
  for (const path of ['/', '/api/v1/docs']) {
    const { text } = await open.get(path);
    expect(text).toContain('</html>');
    expect(text.match(/<script(?![^>]*\ssrc=)[^>]*>|\son\w+\s*=|javascript:/gi)).toBeNull();
  }
});

describe('a client that sends slowly', () => {
  const deadlines = { handshakeMs: 50, headersMs: 50, requestMs: 50, checkMs: 10 };

  test.each<[string, string, RegExp]>([
    ['nothing', '', /^(HTTP\/1\.1 408 |$)/],
    ['half a request line', 'GET /api', /^(HTTP\/1\.1 408 |$)/],
    ['half a head', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', /^HTTP\/1\.1 408 /],
    [
      'half a body',
      'PUT /api/v1/recommendations/shop/web/mode HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      /^HTTP\/1\.1 4\d\d /,
    ],
  ])('%s is answered, and its connection is closed', async (_what, text, answered) => {
    const slow = await startDashboard(world, {}, null, null, deadlines);
    const client = new LoopbackClient(slow.port);
    client.write(text);
    expect(await client.ended()).toMatch(answered);
    await slow.close();
  });

  test('a head in small pieces is closed at the deadline, however regularly they arrive', async () => {
    const slow = await startDashboard(world, {}, null, null, deadlines);
    const socket = connect(slow.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    const ended = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    const drip = (piece: string): void => {
      if (socket.writable) socket.write(piece, () => setImmediate(drip, 'x: y\r\n'));
    };
    drip('GET / HTTP/1.1\r\nHost: localhost\r\n');
    await ended;
    // 431 where the pieces are faster than the deadline.
    expect(text).toMatch(/^(HTTP\/1\.1 4(08|31) |$)/);
    await slow.close();
  });
});

async function raw(text: string, client = open): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const caller = new LoopbackClient(client.port);
  caller.write(text);
  const answer = await caller.ended();
  const [head = ''] = answer.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  return { status: Number(first.split(' ')[1]), headers, text: answer };
}
