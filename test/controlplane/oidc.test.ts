// Sign-in by OpenID Connect in Chromium, at a certified issuer, with two replicas on a real control plane.

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import Provider from 'oidc-provider';
import { withBrowserPage, type BrowserPage } from '../../hack/screenshot/browser-page.ts';
import { findChromium } from '../../hack/screenshot/find-chromium.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { startController, type Controller } from '../e2e/controller-process.ts';
import { freePorts } from '../e2e/free-ports.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { knownSecret } from '../fakes/known-secrets.ts';
import { OWN_NAMESPACE, startInstalledCluster } from './installed-controller.ts';

const ADMIN = 'ana@example.com';
const NO_GRANT = 'ben@example.com';
const UNVERIFIED = 'eve@example.com';
const CLIENT = { client_id: 'evenkeel', client_secret: knownSecret('the client secret', 'a-secret-of-the-client-of-32-bytes') };

let fixture: TestFixture;
let replicas: readonly [Controller, Controller];
let issuerPort: number;
let issuer: Server | undefined;

beforeAll(async () => {
  // The issuer's advice for production.
  for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);
  fixture = new TestFixture();
  const cluster = await startInstalledCluster(fixture, 'oidc', 1);
  await cluster.kubectl('apply', '-k', join(ROOT, 'config/auth'));
  const ports = await freePorts(3);
  issuerPort = ports[2]!;
  const clientSecretFile = join(fixture.folder, 'client-secret');
  writeFileSync(clientSecretFile, `${CLIENT.client_secret}\n`);
  const kubeconfig = await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, 'evenkeel-controller');
  const start = (port: number): Promise<Controller> =>
    startController(fixture, {
      'kubernetes.kubeconfig': kubeconfig,
      'kubelet.port': String(cluster.ports.kubelet),
      namespace: OWN_NAMESPACE,
      'dashboard.addr': `127.0.0.1:${port}`,
      'auth.enabled': 'true',
      'auth.initialAdmin': ADMIN,
      'auth.local.enabled': 'false',
      // Another site than 127.0.0.1, as an issuer is.
      'auth.oidc.issuer': `http://localhost:${issuerPort}`,
      'auth.oidc.clientId': CLIENT.client_id,
      'auth.oidc.clientSecretFile': clientSecretFile,
      'auth.oidc.displayName': 'Example',
    });
  replicas = [await start(ports[0]!), await start(ports[1]!)];
}, HANG_TEST_MS);

afterAll(async () => {
  issuer?.closeAllConnections();
  issuer?.close();
  await fixture.tearDown();
}, HANG_TEST_MS);

function startIssuer(): Promise<void> {
  const provider = new Provider(`http://localhost:${issuerPort}`, {
    clients: [
      {
        ...CLIENT,
        redirect_uris: replicas.map(({ dashboard }) => `${dashboard}/auth/callback`),
        post_logout_redirect_uris: replicas.map(({ dashboard }) => `${dashboard}/`),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    findAccount: (_context, email) => ({
      accountId: email,
      claims: () => ({ sub: email, email, email_verified: email !== UNVERIFIED, name: 'A user' }),
    }),
  });
  const handle = provider.callback();
  issuer = createServer((request, response) => void handle(request, response));
  return new Promise((resolve) => issuer!.listen(issuerPort, '127.0.0.1', resolve));
}

/** Opens a page of the dashboard in a new profile of Chromium. */
function browse(path: string, use: (page: BrowserPage) => Promise<void>): Promise<void> {
  const options = { browser: findChromium(), url: `${replicas[0].dashboard}${path}`, width: 1280, height: 900, timeoutMs: HANG_MS };
  return withBrowserPage(options, use);
}

/** Signs in at the issuer and agrees there. */
async function signIn(page: BrowserPage, email: string): Promise<void> {
  await page.waitFor("document.querySelector('#sign-in-issuer')?.textContent === 'Sign in with Example'");
  await page.evaluate("document.querySelector('#sign-in-issuer').click()");
  await page.waitFor("document.querySelector('input[name=login]') !== null");
  await page.evaluate(
    `document.querySelector('input[name=login]').value = ${JSON.stringify(email)};
     document.querySelector('input[name=password]').value = 'any';
     document.querySelector('button[type=submit]').click()`,
  );
  await page.waitFor("document.readyState === 'complete' && document.querySelector('input[name=prompt][value=consent]') !== null");
  await page.evaluate("document.querySelector('button[type=submit]').click()");
}

const textIs = (selector: string, text: string): string =>
  `document.querySelector('${selector}')?.textContent.includes('${text}') === true`;
const sessionIn = (page: BrowserPage) => page.evaluate("fetch('/api/v1/auth/session').then((a) => a.json()).then(({ data }) => data)");

describe('sign-in by OpenID Connect', () => {
  test(
    'does not delay the start while the issuer is away, and works once it answers',
    async () => {
      const login = `${replicas[0].dashboard}/auth/login`;
      const away = await boundedFetch(login, 'the page to sign in');
      expect([away.status, away.text.includes('Example does not answer')]).toEqual([503, true]);
      await startIssuer();
      await eventually('the browser is sent to the issuer: Evenkeel retries', HANG_MS, async () => {
        const answer = await fetch(login, { redirect: 'manual' });
        await answer.text();
        return answer.status === 303;
      });
    },
    HANG_TEST_MS,
  );

  test(
    'returns to the page that was opened, as a session of every replica, until the user signs out at both',
    () =>
      browse('/?q=web', async (page) => {
        await signIn(page, ADMIN);
        await page.waitFor(`${textIs('#user', ADMIN)} && location.search === '?q=web'`);
        expect(await sessionIn(page)).toMatchObject({ authenticated: true, email: ADMIN, name: 'A user', role: 'admin' });
        expect(await page.evaluate('document.cookie')).toBe('');
        // Cookies of a host are those of all its ports.
        await page.open(replicas[1].dashboard);
        await page.waitFor(`${textIs('#user', ADMIN)} && location.port === '${new URL(replicas[1].dashboard).port}'`);
        await page.evaluate("document.querySelector('#user button').click()");
        await page.waitFor(`location.port === '${issuerPort}' && document.querySelector('button[name=logout]') !== null`);
        await page.evaluate("document.querySelector('button[name=logout]').click()");
        await page.waitFor("document.querySelector('#sign-in-issuer') !== null");
        expect(await sessionIn(page)).toMatchObject({ authenticated: false });
        await page.open(`${replicas[0].dashboard}/`);
        await page.waitFor("document.querySelector('#sign-in-issuer') !== null");
        expect(await sessionIn(page)).toMatchObject({ authenticated: false });
      }),
    HANG_TEST_MS,
  );

  test(
    'refuses an address that the issuer has not verified',
    () =>
      browse('/', async (page) => {
        await signIn(page, UNVERIFIED);
        await page.waitFor(textIs('h1', 'E-mail address not verified'));
        expect(await sessionIn(page)).toMatchObject({ authenticated: false });
      }),
    HANG_TEST_MS,
  );

  test(
    'shows a user without a grant who they are, and nothing else',
    () =>
      browse('/', async (page) => {
        await signIn(page, NO_GRANT);
        await page.waitFor(textIs('#content', `You are signed in as ${NO_GRANT}`));
        expect(await sessionIn(page)).toMatchObject({ authenticated: true, role: null, capabilities: [] });
        expect(await page.evaluate("fetch('/api/v1/recommendations').then(({ status }) => status)")).toBe(403);
      }),
    HANG_TEST_MS,
  );

  test('leaves no secret, code or token in the log', () => {
    const log = replicas.flatMap(({ process }) => process.stderr).join('\n');
    expect(log).toContain('"Signed in"');
    for (const secret of [CLIENT.client_secret, 'eyJ', 'code=', 'state=']) expect(log).not.toContain(secret);
  });
});
