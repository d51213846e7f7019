// Authentication on a real control plane: two replicas with the token and the roles of their ServiceAccount, and an outage of the API server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HOUR_MS } from '#kube/units';
import { newSession, sealSession } from '../../src/server/auth/session-cookie.ts';
import { CONTROLLER_PERMISSIONS } from '../../src/adapters/kubernetes/access/permissions.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { observedIn } from '../chart/observed.ts';
import { BY_DEFAULT, requestsOf } from '../chart/rules.ts';
import { startController, type Controller } from '../e2e/controller-process.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { knownSecret } from '../fakes/known-secrets.ts';
import { OWN_NAMESPACE, startInstalledCluster } from './installed-controller.ts';
import type { RealCluster } from './real-cluster.ts';

const ADMIN = 'root@example.com';
const VIEWER = 'eve@example.com';
const PASSWORD = knownSecret('the password of the local admin', 'correct horse battery');
/** Secrets of Evenkeel whose values must stay in them. */
const SECRET_VALUES = /^evenkeel-(session-keys|record-key|admission|local-admin|api-key-)/;
const NEW = 'new@example.com';
/** `auth.session.lifetime` of the replicas. */
const LIFETIME_MS = 2 * HOUR_MS;

let fixture: TestFixture;
let cluster: RealCluster;
let replicas: readonly [Controller, Controller];
let cookie: string;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await startInstalledCluster(fixture, 'access', 1);
  await cluster.kubectl('apply', '-k', join(ROOT, 'config/auth'));
  const settings = {
    'kubernetes.kubeconfig': await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, 'evenkeel-controller'),
    'kubelet.port': String(cluster.ports.kubelet),
    namespace: OWN_NAMESPACE,
    'auth.enabled': 'true',
    'auth.initialAdmin': ADMIN,
    'auth.session.lifetime': '2h',
    'auth.session.idleTimeout': '30m',
  };
  replicas = [await startController(fixture, settings), await startController(fixture, settings)];
  await setPassword();
}, HANG_TEST_MS);

afterAll(async () => {
  await recordObjects();
  await fixture.tearDown();
}, HANG_TEST_MS);

/** Registers what Secrets have, and searches what else the cluster has of Evenkeel: Events, Leases, ConfigMaps and custom resources. */
async function recordObjects(): Promise<void> {
  const { items } = JSON.parse(await cluster.kubectl('get', 'secrets', '-n', OWN_NAMESPACE, '-o', 'json')) as SecretList;
  for (const { metadata, data = {} } of items.filter((secret) => SECRET_VALUES.test(secret.metadata.name))) {
    for (const [name, value] of Object.entries(data)) {
      const text = Buffer.from(value, 'base64').toString('utf8');
      if (!['email', 'label', 'createdBy', 'createdAt', 'last-used-at'].includes(name) && text.length >= 8) {
        knownSecret(`${name} of Secret ${metadata.name}`, text);
      }
    }
  }
  for (const kind of ['events', 'leases', 'configmaps', 'accesspolicies', 'recommendations']) {
    fixture.recordOutput(kind, await cluster.kubectl('get', kind, '-A', '-o', 'yaml'));
  }
}

interface SecretList {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly data?: Readonly<Record<string, string>> }[];
}

/** Runs `evenkeel password` as the administrator of the cluster. */
async function setPassword(): Promise<void> {
  const args = ['src/cli/main.ts', 'password', ADMIN, '-n', OWN_NAMESPACE, '--kubeconfig', cluster.kubeconfig];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd: ROOT,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(PASSWORD);
  expect(await once(child, 'exit')).toEqual([0, null]);
}

type Headers = Readonly<Record<string, string>>;

async function ask(replica: 0 | 1, method: string, path: string, headers: Headers, body?: unknown) {
  const init = { method, headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) } };
  const url = `${replicas[replica].dashboard}/api/v1/${path}`;
  const { status, text } = await boundedFetch(url, path, { ...init, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { data } = JSON.parse(text) as { readonly data: { readonly key?: string } | null };
  // The answer that creates a key is the only one that has it.
  if (typeof data?.key === 'string') knownSecret('an API key', data.key);
  else fixture.recordOutput(`the answer of ${method} ${path}`, text);
  return { status, data: data as unknown };
}

const statusOf = async (replica: 0 | 1, headers: Headers): Promise<number> => (await ask(replica, 'GET', 'mode', headers)).status;

/** A session, and the times between which it began. */
interface SignedIn {
  readonly cookie: string;
  readonly maxAge: number;
  readonly earliest: number;
  readonly latest: number;
}

async function signIn(): Promise<SignedIn> {
  const earliest = Date.now();
  const response = await fetch(`${replicas[0].dashboard}/api/v1/auth/local`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ADMIN, password: PASSWORD }),
  });
  expect(response.status).toBe(200);
  const latest = Date.now();
  const header = response.headers.get('set-cookie')!;
  const [signedIn = ''] = header.split(';');
  knownSecret('the cookie of a session', signedIn.slice(signedIn.indexOf('=') + 1));
  return { cookie: signedIn, maxAge: Number(/Max-Age=(\d+)/.exec(header)?.[1]), earliest, latest };
}

/** The cookie of a user who signed in, sealed with the key of the installation. */
async function cookieOf(email: string): Promise<string> {
  const secret = JSON.parse(await cluster.kubectl('get', 'secret', 'evenkeel-session-keys', '-n', OWN_NAMESPACE, '-o', 'json')) as {
    readonly data: Readonly<Record<string, string>>;
  };
  const text = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  const keys = Object.entries(secret.data).map(([id, value]) => ({ id, bytes: Buffer.from(text(value), 'base64') }));
  return `evenkeel=${sealSession(newSession(email, Date.now()), keys)}`;
}

interface Policy {
  readonly grants: readonly Readonly<Record<string, unknown>>[];
  readonly autoApprove: readonly object[];
  readonly resourceVersion: string;
}

/** Replaces the policy as read, again where the leader has written its status in between. */
function replacePolicy(replica: 0 | 1, change: (policy: Policy) => Policy): Promise<Policy> {
  return eventually('the policy is replaced: it is as it was read', HANG_MS, async () => {
    const policy = (await ask(replica, 'GET', 'access-policy', { cookie })).data as Policy;
    const answer = await ask(replica, 'PUT', 'access-policy', { cookie }, change(policy));
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}`);
    return answer.data as Policy;
  });
}

describe('two replicas', () => {
  test(
    'open the session of the local admin, who has the grant of auth.initialAdmin',
    async () => {
      const signedIn = await eventually('signed in: the leader has created the session key and the grant', HANG_MS, signIn);
      ({ cookie } = signedIn);
      const { data } = await ask(1, 'GET', 'auth/session', { cookie });
      expect(data).toMatchObject({ authenticated: true, email: ADMIN, role: 'admin', expiresAt: expect.any(String) });
      expect(await statusOf(1, {})).toBe(401);
      const { maxAge, earliest, latest } = signedIn;
      expect(maxAge).toBeLessThanOrEqual(LIFETIME_MS / 1000);
      expect(maxAge).toBeGreaterThanOrEqual(Math.floor((LIFETIME_MS - (latest - earliest)) / 1000));
      const endsAt = Date.parse((data as { readonly expiresAt: string }).expiresAt);
      expect(endsAt).toBeGreaterThanOrEqual(earliest + LIFETIME_MS);
      expect(endsAt).toBeLessThanOrEqual(latest + LIFETIME_MS);
    },
    HANG_TEST_MS,
  );

  test(
    'replace the policy only as it was read, and never without an admin',
    async () => {
      const policy = (await ask(1, 'GET', 'access-policy', { cookie })).data as Policy;
      expect(policy.grants).toMatchObject([{ email: ADMIN, role: 'admin' }]);
      await cluster.kubectl('patch', 'accesspolicy', 'default', '--type=merge', '-p', '{"spec":{"autoApprove":[]}}');
      const grants = [...policy.grants, { email: VIEWER, role: 'viewer', namespaces: ['*'] }];
      expect((await ask(0, 'PUT', 'access-policy', { cookie }, { ...policy, grants })).status).toBe(409);
      const replaced = await replacePolicy(0, (current) => ({ ...current, grants }));
      expect(replaced.grants).toMatchObject([{ email: ADMIN }, { email: VIEWER, role: 'viewer' }]);
      for (const others of [[], [{ email: VIEWER, role: 'admin' }]]) {
        const { resourceVersion } = (await ask(0, 'GET', 'access-policy', { cookie })).data as Policy;
        expect((await ask(0, 'PUT', 'access-policy', { cookie }, { grants: others, resourceVersion })).status).toBe(409);
      }
      expect((await ask(1, 'GET', 'recommendations', { cookie: await cookieOf(VIEWER) })).status).toBe(200);
      await replacePolicy(1, (current) => ({ ...current, grants: policy.grants }));
      expect((await ask(0, 'GET', 'recommendations', { cookie: await cookieOf(VIEWER) })).status).toBe(403);
      const status = 'jsonpath={.status.grants} {.status.conditions[?(@.type=="Ready")].reason}';
      await eventually('the status has the grants: the leader has written it', HANG_MS, async () => {
        return (await cluster.kubectl('get', 'accesspolicy', 'default', '-o', status)) === '1 InForce';
      });
    },
    HANG_TEST_MS,
  );

  test(
    'give access once a request is approved',
    async () => {
      const requester = { cookie: await cookieOf(NEW) };
      expect((await ask(0, 'GET', 'recommendations', requester)).status).toBe(403);
      const body = { role: 'operator', namespaces: ['team-*'], reason: 'on call' };
      const requested = await ask(0, 'POST', 'access-requests', requester, body);
      expect([requested.status, requested.data]).toMatchObject([201, { email: NEW, state: 'pending' }]);
      expect((await ask(0, 'POST', 'access-requests', requester, { ...body, role: 'admin' })).status).toBe(409);
      const pending = await eventually('the request is listed: the other replica has read it', HANG_MS, async () => {
        const [first] = (await ask(1, 'GET', 'access-requests', { cookie })).data as readonly { readonly id: string }[];
        if (first === undefined) throw new Error('no request');
        return first;
      });
      const approve = (approval: object) => ask(1, 'POST', 'access-requests/approve', { cookie }, { id: pending.id, ...approval });
      expect((await approve({ namespaces: ['*'] })).status).toBe(400);
      expect(await approve({ role: 'viewer', namespaces: ['team-a'] })).toMatchObject({ status: 200, data: { state: 'approved' } });
      for (const replica of [0, 1] as const) {
        expect((await ask(replica, 'GET', 'auth/session', requester)).data).toMatchObject({ role: 'viewer', namespaces: ['team-a'] });
      }
      const events = await eventually('the Events are listed: they are written after the answer', HANG_MS, async () => {
        const notes = await cluster.kubectl(
          'get',
          'events.events.k8s.io',
          '-A',
          '-o',
          'jsonpath={range .items[*]}{.reason} {.note}{"\\n"}{end}',
        );
        if (!notes.includes('AccessRequestApproved')) throw new Error('no Event yet');
        return notes;
      });
      expect(events).toContain(`AccessRequestApproved ${ADMIN} approved the access request of ${NEW}: viewer in team-a`);
      expect(events).toContain(`AccessPolicyChanged ${ADMIN} changed the AccessPolicy`);
    },
    HANG_TEST_MS,
  );

  test(
    'give the role of a domain as long as it is in autoApprove',
    async () => {
      const user = { cookie: await cookieOf('kim@domain.example') };
      const autoApprove = [{ domain: 'domain.example', role: 'viewer', namespaces: ['*'] }];
      await replacePolicy(0, (current) => ({ ...current, autoApprove }));
      expect((await ask(1, 'GET', 'recommendations', user)).status).toBe(200);
      await replacePolicy(0, (current) => ({ ...current, autoApprove: [] }));
      expect((await ask(1, 'GET', 'recommendations', user)).status).toBe(403);
    },
    HANG_TEST_MS,
  );

  test(
    'refuse a revoked key from the answer on, and a changed grant with the next watch event',
    async () => {
      const grants = (role: string) =>
        JSON.stringify({
          spec: { grants: [{ email: ADMIN, role: 'admin' }, ...(role === '' ? [] : [{ email: VIEWER, role, namespaces: ['*'] }])] },
        });
      await cluster.kubectl('patch', 'accesspolicy', 'default', '--type=merge', '-p', grants('viewer'));
      const created = await eventually('the key is created: the replica has the grant', HANG_MS, async () => {
        const answer = await ask(0, 'POST', 'api-keys', { cookie }, { email: VIEWER, label: 'test' });
        if (answer.status !== 201) throw new Error(`HTTP ${answer.status}`);
        return answer.data as { readonly id: string; readonly key: string };
      });
      const key = { authorization: `Bearer ${created.key}` };
      const list = async () => (await ask(1, 'GET', 'recommendations', key)).status;
      await eventually('the key reads on the other replica: its watch reports it', HANG_MS, async () => (await list()) === 200);
      await cluster.kubectl('patch', 'accesspolicy', 'default', '--type=merge', '-p', grants(''));
      await eventually('the key reads nothing: its address has no grant', HANG_MS, async () => (await list()) === 403);
      expect((await ask(0, 'DELETE', `api-keys/${created.id}`, { cookie })).status).toBe(200);
      expect([await statusOf(0, key), await statusOf(1, key)]).toEqual([401, 401]);
    },
    HANG_TEST_MS,
  );

  test(
    'end a session everywhere',
    async () => {
      const { cookie: second } = await signIn();
      expect(await statusOf(1, { cookie: second })).toBe(200);
      expect((await ask(0, 'POST', 'auth/logout', { cookie: second })).status).toBe(200);
      expect(await statusOf(1, { cookie: second })).toBe(401);
      expect(await statusOf(1, { cookie })).toBe(200);
    },
    HANG_TEST_MS,
  );

  test(
    'make no request that their roles refuse or do not declare',
    async () => {
      const declared = requestsOf(CONTROLLER_PERMISSIONS, [...BY_DEFAULT, 'config.auth.enabled']);
      for (const { metrics } of replicas) {
        const { requested, denied } = observedIn((await boundedFetch(metrics, 'metrics')).text);
        expect(denied).toEqual([]);
        expect([...requested].filter((request) => !declared.has(request))).toEqual([]);
      }
    },
    HANG_TEST_MS,
  );

  test(
    'answer 503 while grants cannot be confirmed, and serve the session again afterwards',
    async () => {
      await cluster.stopComponent('kube-apiserver');
      await eventually(
        'requests are refused: the API server does not answer',
        HANG_MS,
        async () => (await statusOf(0, { cookie })) === 503,
      );
      await cluster.startComponent('kube-apiserver');
      await eventually('the session is served: the API server answers again', HANG_MS, async () => (await statusOf(0, { cookie })) === 200);
    },
    HANG_TEST_MS,
  );
});
