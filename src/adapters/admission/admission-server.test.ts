import { request } from 'node:https';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { DAY_MS } from '#kube/units';
import type { CreationRequest, SizesAtCreation } from '../../ports/cluster/sizes-at-creation.ts';
import { AdmissionServer, type KeyPair } from './admission-server.ts';
import { isUsableAuthority, makeAuthority, signServing, findRenewalReason } from './certificates.ts';

const NAMES = ['localhost', '127.0.0.1'];
const asked: CreationRequest[] = [];
const small = { requests: { cpuMillicores: 100, memoryBytes: null }, limits: { cpuMillicores: null, memoryBytes: null } };
const sizes: SizesAtCreation = {
  sizeOf: (creation) => {
    asked.push(creation);
    if (creation.namespace === 'broken') throw new Error('this must not keep a pod from being created');
    return creation.namespace === 'shop' ? { values: new Map([['main', small]]), usual: new Map() } : null;
  },
};

/** Fixed time, so that the rate limiter never refills. */
const timer = new FakeClock(0);

let authority: KeyPair;
let pair: KeyPair;
let server: AdmissionServer;

beforeAll(async () => {
  authority = await makeAuthority(Date.now());
  pair = await signServing(authority, NAMES, Date.now());
  server = await AdmissionServer.start({
    listen: { host: '127.0.0.1', port: 0 },
    keyPair: pair,
    sizes,
    metrics: new CountingMetrics(),
    logger: new RecordingLogger(),
    timer,
  });
});
afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly body: { readonly response?: { readonly uid: string; readonly allowed: boolean; readonly patch?: string } };
  readonly serial: string;
}

function ask(
  body: unknown,
  { path = '/mutate', method = 'POST', ca = authority.certificate, localAddress = '127.0.0.1' } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.port, path, method, ca, agent: false, localAddress }, (response) => {
      const serial = response.socket instanceof TLSSocket ? response.socket.getPeerCertificate().serialNumber : '';
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'], serial }),
      );
    });
    sent.on('error', reject);
    sent.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

function review(namespace: string, pod: object = {}, more: object = {}, annotations?: object): object {
  const spec = { containers: [{ name: 'main', resources: { requests: { cpu: '500m' } } }], ...pod };
  const object = {
    metadata: {
      generateName: 'web-',
      ownerReferences: [{ kind: 'ReplicaSet', name: 'web-1', uid: 'u', controller: true }],
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec,
  };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  return { kind: 'AdmissionReview', request: { uid: 'r1', namespace, operation: 'CREATE', resource, object, ...more } };
}

function patchOf({ body }: Answer): unknown {
  const { patch } = body.response ?? {};
  return patch === undefined ? null : JSON.parse(Buffer.from(patch, 'base64').toString());
}

describe('admission', () => {
  test('answers with a patch, and passes the owner of the pod', async () => {
    const answer = await ask(review('shop'));
    expect(answer.body.response).toMatchObject({ uid: 'r1', allowed: true, patchType: 'JSONPatch' });
    expect(patchOf(answer)).toEqual([
      { op: 'add', path: '/spec/containers/0/resources/requests/cpu', value: '100m' },
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/evenkeel.io~1size-at-creation', value: '{"main":{"requests":{"cpu":"500m"},"limits":{}}}' },
    ]);
    expect(asked.at(-1)).toMatchObject({ namespace: 'shop', owner: { kind: 'ReplicaSet', name: 'web-1' }, restartPolicy: 'Always' });
  });

  test.each<[string, object]>([
    ['a pod without a policy', review('elsewhere')],
    ['a pod that is sized as a whole', review('shop', { resources: { requests: { cpu: '1' } } })],
    ['a pod for Windows', review('shop', { os: { name: 'windows' } })],
    ['another verb', review('shop', {}, { operation: 'UPDATE' })],
    ['a subresource', review('shop', {}, { subResource: 'resize' })],
    ['a pod that was sized before', review('shop', {}, {}, { 'evenkeel.io/size-at-creation': '{}' })],
    ['another resource', review('shop', {}, { resource: { group: '', version: 'v1', resource: 'services' } })],
    ['unreadable amounts', review('shop', { containers: [{ name: 'main', resources: { requests: { cpu: 'much' } } }] })],
    ['a review of nothing', { kind: 'AdmissionReview' }],
    ['no review at all', []],
  ])('allows %s unchanged', async (_, body) => {
    const answer = await ask(body);
    expect(answer.status).toBe(200);
    expect(answer.body.response).toMatchObject({ allowed: true });
    expect(patchOf(answer)).toBeNull();
  });

  test.each([
    ['no JSON', 'nonsense', {}, 400],
    ['another path', '{}', { path: '/validate' }, 404],
    ['another method', '', { method: 'GET' }, 405],
    ['more than any object has', 'x'.repeat(4 * 1024 * 1024), {}, 413],
    ['a fault of its own', JSON.stringify(review('broken')), {}, 500],
  ])('%s gets its status code, and the next request is answered', async (_, body, options, status) => {
    expect((await ask(body, options)).status).toBe(status);
    expect((await ask(review('shop'))).status).toBe(200);
  });

  test('a replaced certificate is served from the next connection on, and verified against its own authority', async () => {
    const before = await ask(review('shop'));
    server.replaceCertificate(await signServing(authority, NAMES, Date.now()));
    expect((await ask(review('shop'))).serial).not.toBe(before.serial);
    const other = await makeAuthority(Date.now());
    server.replaceCertificate(await signServing(other, NAMES, Date.now()));
    await expect(ask(review('shop'))).rejects.toThrow();
    expect((await ask(review('shop'), { ca: other.certificate })).status).toBe(200);
    server.replaceCertificate(pair);
  });
});

describe('a client that sends slowly', () => {
  /** A POST whose body is never completed. */
  function slowPost(port = server.port): Promise<void> {
    return new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port, path: '/mutate', method: 'POST', ca: authority.certificate, agent: false });
      sent.setHeader('content-length', 1_000);
      sent.on('error', () => resolve());
      sent.on('response', (response) => response.resume().on('close', resolve));
      sent.write('{');
    });
  }

  test('does not block other clients: over the maximum, the oldest post is closed', async () => {
    const posts = Array.from({ length: 65 }, () => slowPost());
    await Promise.race(posts);
    expect((await ask(review('shop'))).status).toBe(200);
  });

  test('is cut off', async () => {
    const parts = { listen: { host: '127.0.0.1', port: 0 }, keyPair: pair, sizes, metrics: new CountingMetrics(), timer };
    const impatient = await AdmissionServer.start({ ...parts, logger: new RecordingLogger(), requestTimeoutMs: 20 });
    await slowPost(impatient.port);
    await impatient.close();
  });
});

describe('a client that posts continuously', () => {
  test('is refused above its rate limit, and the API server is answered', async () => {
    const large = JSON.stringify(review('shop', { padding: 'x'.repeat(2_900_000) }));
    const statuses: number[] = [];
    for (let count = 0; count < 8; count += 1) statuses.push((await ask(large, { localAddress: '127.0.0.9' })).status);
    expect([...new Set(statuses)]).toEqual([200, 429]);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect((await ask(review('shop'))).status).toBe(200);
  });
});

test('a certificate is renewed before it expires, and where the API server would not trust it', async () => {
  const now = Date.now();
  expect(findRenewalReason(pair, authority.certificate, NAMES, now)).toBeNull();
  expect(findRenewalReason(pair, authority.certificate, NAMES, now + 61 * DAY_MS)).toBe('it expires soon');
  expect(findRenewalReason(pair, authority.certificate, ['evenkeel-admission.evenkeel-system.svc'], now)).toContain('does not name');
  expect(findRenewalReason(pair, (await makeAuthority(now)).certificate, NAMES, now)).toBe('another authority signed it');
  expect(findRenewalReason({ ...pair, certificate: '' }, authority.certificate, NAMES, now)).toBe('it cannot be read');
  expect([isUsableAuthority(authority, now), isUsableAuthority(authority, now + 3600 * DAY_MS), isUsableAuthority(pair, now)]).toEqual([
    true,
    false,
    false,
  ]);
});
