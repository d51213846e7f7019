// The dashboard over HTTPS, with a certificate from files.

import { request, type RequestOptions } from 'node:https';
import { connect, TLSSocket, type SecureVersion } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { LoopbackClient } from '../../test/fakes/clients/loopback-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { MountedSecret } from '../../test/fakes/mounted-secret.ts';
import { makeAuthority, signServing } from '../adapters/admission/certificates.ts';
import { CertificateFiles, CHECK_EVERY_MS } from '../runtime/tls/certificate-files.ts';
import { hashPassword } from '../runtime/passwords/password-hash.ts';

const MAX_CONNECTIONS = 40;
const HOST = 'evenkeel.evenkeel-system.svc';
const ROOT = { email: 'root@example.com', password: 'correct horse battery' };
let authority: { readonly certificate: string; readonly key: string };
let passwordHash: string;
beforeAll(async () => {
  [authority, passwordHash] = await Promise.all([makeAuthority(Date.now()), hashPassword(ROOT.password)]);
});

let secret: MountedSecret;
let world: DashboardWorld;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(async () => {
  secret = new MountedSecret();
  await mount();
  store = new FakeAccessStore();
  store.grant({ email: ROOT.email, role: 'admin' });
  store.admin = { email: ROOT.email, passwordHash };
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  const certificate = await CertificateFiles.open({
    setting: 'dashboard.tls',
    certFile: secret.file('tls.crt'),
    keyFile: secret.file('tls.key'),
    timer: world.timer,
    logger: world.logger,
    now: () => Date.now(),
  });
  client = await startDashboard(
    world,
    { maxConnections: MAX_CONNECTIONS },
    { store, now: () => Date.now(), isLocalEnabled: true, proxy: null },
    certificate,
  );
});
afterEach(async () => {
  await client.close();
  secret.remove();
});

async function mount(): Promise<void> {
  const { certificate, key } = await signServing(authority, [HOST], Date.now());
  secret.replace({ 'tls.crt': certificate, 'tls.key': key });
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly serial: string;
  readonly body: string;
}

interface Question extends RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Asks over HTTPS, and verifies the certificate. */
function ask(options: Question = {}): Promise<Answer> {
  const { body, headers = {}, ...others } = options;
  const shared = { host: '127.0.0.1', port: client.port, ca: authority.certificate, servername: HOST, agent: false as const };
  return new Promise((resolve, reject) => {
    const sent = request(
      { path: '/api/v1/auth/session', ...shared, ...others, headers: { host: HOST, 'content-type': 'application/json', ...headers } },
      (response) => {
        const serial = response.socket instanceof TLSSocket ? response.socket.getPeerCertificate().serialNumber : '';
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, serial, body: text }));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe('with dashboard.tls', () => {
  test('a session is in a cookie that browsers send over TLS alone, and is signed in with it', async () => {
    const signedIn = await ask({ method: 'POST', path: '/api/v1/auth/local', body: ROOT });
    const [cookie = ''] = [signedIn.headers['set-cookie']].flat();
    expect(cookie).toMatch(/^__Host-evenkeel=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/);
    const session = await ask({ headers: { host: HOST, cookie: cookie.split(';')[0] ?? '' } });
    expect(JSON.parse(session.body)).toMatchObject({ data: { authenticated: true, email: ROOT.email } });
    const renamed = await ask({ headers: { host: HOST, cookie: (cookie.split(';')[0] ?? '').replace('__Host-', '') } });
    expect(JSON.parse(renamed.body)).toMatchObject({ data: { authenticated: false } });
  });

  test.each([
    [HOST, 'max-age=31536000'],
    ['10.0.0.7:9090', 'max-age=31536000'],
    ['localhost:9090', undefined],
    ['127.0.0.1:9090', undefined],
    ['[::1]:9090', undefined],
  ])('browsers must keep using TLS for host %s, except on loopback: %s', async (host, expected) => {
    expect((await ask({ headers: { host } })).headers['strict-transport-security']).toBe(expected);
  });

  test('a renewed certificate is served without a restart, and requests go on', async () => {
    const before = await ask();
    await mount();
    world.timer.advance(CHECK_EVERY_MS);
    const serials = new Set<string>();
    while (serials.size < 2) serials.add((await ask()).serial);
    expect([...serials][0]).toBe(before.serial);
    expect(world.logger.lines).toContainEqual(expect.objectContaining({ message: 'Serving a new certificate' }));
  });

  test.each<[SecureVersion, boolean]>([
    ['TLSv1', false],
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ])('%s is accepted: %s', async (version, isAccepted) => {
    const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const socket = connect({ host: '127.0.0.1', port: client.port, ca: authority.certificate, servername: HOST, ...versions });
    const outcome = await new Promise<string | null>((resolve) => {
      socket.once('secureConnect', () => resolve(socket.getProtocol()));
      socket.once('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? ''));
    });
    socket.destroy();
    expect(outcome).toBe(isAccepted ? version : 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  test('connections beyond the share of an address are closed before the handshake, and other addresses are answered', async () => {
    const open = Array.from({ length: MAX_CONNECTIONS / 4 + 1 }, () => new LoopbackClient(client.port, '127.0.0.2'));
    expect(await open.at(-1)!.ended()).toBe('');
    expect(world.metrics.total('evenkeel_http_refused_total', { server: 'dashboard', kind: 'connection', reason: 'client' })).toBe(1);
    expect((await ask()).status).toBe(200);
    for (const each of open) each.close();
  });

  test('a request without TLS is not answered, and its connection is closed', async () => {
    const plain = new LoopbackClient(client.port);
    plain.write('GET /api/v1/mode HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await plain.ended()).not.toContain('HTTP/1.1');
  });
});

test('without dashboard.tls browsers need not use TLS, except by the proxy of an https dashboard.publicUrl', async () => {
  const plain = await startDashboard(world, { publicUrl: 'https://evenkeel.example.com' });
  const headOf = async (host: string): Promise<string> => {
    const caller = new LoopbackClient(plain.port);
    caller.write(`GET /api/v1/mode HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return caller.ended();
  };
  expect(await headOf('10.0.0.7')).not.toContain('Strict-Transport-Security');
  expect(await headOf('evenkeel.example.com')).toContain('Strict-Transport-Security: max-age=31536000');
  await plain.close();
});
