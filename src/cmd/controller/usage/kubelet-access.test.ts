import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport, status } from '../../../../test/fakes/clients/fake-transport.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { KubeletToken } from '../../../adapters/kubelet/kubelet-token.ts';
import type { KubeConnection } from '../../../adapters/kubernetes/transport/connection.ts';
import { type KubeletAccess, kubeletAccess } from './kubelet-access.ts';

const CALLER: KubeConnection = {
  server: 'https://api',
  tls: { verify: true, ca: 'CA', cert: 'CERT', key: 'KEY' },
  headers: () => Promise.resolve({ authorization: 'Bearer of-the-controller' }),
};

interface AccessOptions {
  readonly inPod: boolean;
  /** Whether the controller may create the token. */
  readonly mayCreateToken?: boolean;
  readonly exists?: boolean;
  /** Whether the reader may get nodes/metrics. */
  readonly mayRead?: boolean;
  readonly isDown?: boolean;
  readonly viaProxy?: boolean;
}

async function access(given: AccessOptions): Promise<KubeletAccess & { readonly requests: readonly string[] }> {
  const { mayCreateToken = true, exists = true, mayRead = true, isDown = false } = given;
  const transport = new FakeTransport(({ path }) => {
    if (isDown) return status(503, 'ServiceUnavailable', 'not now');
    if (path.endsWith('/selfsubjectaccessreviews')) return { status: 201, body: { status: { allowed: mayCreateToken } } };
    return exists ? { status: 201, body: { status: { token: 'of-the-reader' } } } : status(404, 'NotFound', 'not found');
  });
  const token = new KubeletToken({ transport, namespace: 'evenkeel-system', timer: new FakeClock(0) });
  const result = await kubeletAccess({
    transport,
    connection: CALLER,
    token,
    transportOf: () => new FakeTransport(() => ({ status: 201, body: { status: { allowed: mayRead } } })),
    namespace: 'evenkeel-system',
    inPod: given.inPod,
    viaProxy: given.viaProxy ?? false,
    logger: new RecordingLogger(),
  });
  return { ...result, requests: transport.requests.map(({ path }) => path.split('/').at(-1) ?? '') };
}

const { signal } = new AbortController();

describe('Kubelets', () => {
  test.each([true, false])('get a token that may only read metrics, and no client certificate (in a pod: %s)', async (inPod) => {
    const { connection, problem, mayRead } = await access({ inPod });
    expect(await connection.headers()).toEqual({ authorization: 'Bearer of-the-reader' });
    expect(connection.tls).toEqual({ verify: true, ca: 'CA' });
    expect([problem(), await mayRead(signal)]).toEqual([null, true]);
    expect(await (await access({ inPod, mayRead: false })).mayRead(signal)).toBe(false);
  });

  test.each([
    ['the ServiceAccount is missing', { exists: false }],
    ['its tokens may not be created', { mayCreateToken: false }],
    ['the API server does not respond', { isDown: true }],
  ])('never get the token of the controller in a pod: %s', async (_case, given) => {
    const { connection } = await access({ inPod: true, ...given });
    const sent = await connection.headers().catch(() => null);
    expect([null, { authorization: 'Bearer of-the-reader' }]).toContainEqual(sent);
    expect(connection.tls).toEqual({ verify: true, ca: 'CA' });
  });

  test('are not read in a pod without that token; the problem names the remedy', async () => {
    const { problem, mayRead, requests } = await access({ inPod: true, mayCreateToken: false });
    expect(await mayRead(signal)).toBe(false);
    expect(problem()).toContain('apply the ServiceAccount and the roles of the chart or of config/rbac');
    expect(requests).toEqual(['selfsubjectaccessreviews']);
  });

  test('get the credentials of the kubeconfig where the token is refused outside a pod, and health reports it', async () => {
    const { connection, problem } = await access({ inPod: false, exists: false });
    expect(connection).toBe(CALLER);
    expect(problem()).toMatch(/^the credentials of the kubeconfig are sent to each kubelet: .*evenkeel-kubelet-reader/);
  });

  test('need no token where they are read through the API server', async () => {
    expect((await access({ inPod: true, viaProxy: true })).requests).toEqual([]);
  });

  test('are read with the token once an API server that did not respond at first creates it', async () => {
    const { connection, problem } = await access({ inPod: false, isDown: true });
    expect(connection.tls.cert).toBeUndefined();
    expect(problem()).toBeNull();
  });
});
