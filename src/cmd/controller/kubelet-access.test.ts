import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeTransport, status } from '../../../test/fakes/fake-transport.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { KubeletToken } from '../../adapters/kubelet/kubelet-token.ts';
import type { KubeConnection } from '../../adapters/kubernetes/connection.ts';
import { type KubeletAccess, kubeletAccess } from './kubelet-access.ts';

const CALLER: KubeConnection = {
  server: 'https://api',
  tls: { verify: true, ca: 'CA', cert: 'CERT', key: 'KEY' },
  headers: () => Promise.resolve({ authorization: 'Bearer of-the-controller' }),
};

interface Given {
  readonly inPod: boolean;
  /** What the controller may do. */
  readonly mayAsk?: boolean;
  readonly exists?: boolean;
  /** What the reader may do. */
  readonly mayRead?: boolean;
  readonly isDown?: boolean;
  readonly viaProxy?: boolean;
}

async function access(given: Given): Promise<KubeletAccess & { readonly asked: readonly string[] }> {
  const { mayAsk = true, exists = true, mayRead = true, isDown = false } = given;
  const transport = new FakeTransport(({ path }) => {
    if (isDown) return status(503, 'ServiceUnavailable', 'not now');
    if (path.endsWith('/selfsubjectaccessreviews')) return { status: 201, body: { status: { allowed: mayAsk } } };
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
  return { ...result, asked: transport.requests.map(({ path }) => path.split('/').at(-1) ?? '') };
}

const { signal } = new AbortController();

describe('Kubelets', () => {
  test.each([true, false])('are sent a token that reads them alone, and no client certificate (in a pod: %s)', async (inPod) => {
    const { connection, problem, mayRead } = await access({ inPod });
    expect(await connection.headers()).toEqual({ authorization: 'Bearer of-the-reader' });
    expect(connection.tls).toEqual({ verify: true, ca: 'CA' });
    expect([problem(), await mayRead(signal)]).toEqual([null, true]);
    expect(await (await access({ inPod, mayRead: false })).mayRead(signal)).toBe(false);
  });

  test.each([
    ['the ServiceAccount is missing', { exists: false }],
    ['its tokens may not be made', { mayAsk: false }],
    ['the API server does not answer', { isDown: true }],
  ])('are never sent the token of the controller in a pod: %s', async (_case, given) => {
    const { connection } = await access({ inPod: true, ...given });
    const sent = await connection.headers().catch(() => null);
    expect([null, { authorization: 'Bearer of-the-reader' }]).toContainEqual(sent);
    expect(connection.tls).toEqual({ verify: true, ca: 'CA' });
  });

  test('are not read in a pod without that token, which is said with the remedy and not asked for in vain', async () => {
    const { problem, mayRead, asked } = await access({ inPod: true, mayAsk: false });
    expect(await mayRead(signal)).toBe(false);
    expect(problem()).toContain('apply the ServiceAccount and the roles of the chart or of config/rbac');
    expect(asked).toEqual(['selfsubjectaccessreviews']);
  });

  test('are sent the credentials of a kubeconfig where the token is refused to a person, and health says so', async () => {
    const { connection, problem } = await access({ inPod: false, exists: false });
    expect(connection).toBe(CALLER);
    expect(problem()).toMatch(/^the credentials of the kubeconfig are sent to each kubelet: .*evenkeel-kubelet-reader/);
  });

  test('need no token where they are read through the API server', async () => {
    expect((await access({ inPod: true, viaProxy: true })).asked).toEqual([]);
  });

  test('are read with the token as soon as an API server that did not answer at first makes it', async () => {
    const { connection, problem } = await access({ inPod: false, isDown: true });
    expect(connection.tls.cert).toBeUndefined();
    expect(problem()).toBeNull();
  });
});
