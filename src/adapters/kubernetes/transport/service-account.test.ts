import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { connectionOf } from './kube-config.ts';
import { findPodNamespace, findServiceAccount, type PodEnvironment } from './service-account.ts';

const VARIABLES = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
let folder: string;
let pod: PodEnvironment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenkeel-service-account-'));
  await mkdir(join(folder, 'mount'));
  await mkdir(join(folder, 'user', '.kube'), { recursive: true });
  await writeFile(join(folder, 'user', '.kube', 'config'), '{}');
  await writeFile(join(folder, 'mount', 'ca.crt'), 'CA');
  await writeFile(join(folder, 'mount', 'token'), 'first\n');
  await writeFile(join(folder, 'mount', 'namespace'), 'team\n');
  pod = { variables: VARIABLES, home: join(folder, 'nonroot'), mount: join(folder, 'mount') };
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('The ServiceAccount of a pod', () => {
  test('gives the server, its CA and the token', async () => {
    const account = findServiceAccount(pod);
    expect(account).toEqual({
      server: 'https://10.0.0.1:443',
      tls: { ca: Buffer.from('CA'), verify: true },
      tokenFile: join(folder, 'mount', 'token'),
    });
    expect(findPodNamespace(pod.mount)).toBe('team');
  });

  test('of a cluster with IPv6 has brackets around the address', () => {
    const variables = { ...VARIABLES, KUBERNETES_SERVICE_HOST: 'fd00::1' };
    expect(findServiceAccount({ ...pod, variables })?.server).toBe('https://[fd00::1]:443');
  });

  test('has a token that is read again after the kubelet has rotated it', async () => {
    const timer = new FakeClock();
    const account = findServiceAccount(pod);
    const connection = account === null ? null : connectionOf(account, timer);
    expect(connection).toMatchObject({
      context: '',
      source: { credentials: { type: 'token-file', path: join(folder, 'mount', 'token') } },
    });
    expect(await connection?.headers()).toEqual({ authorization: 'Bearer first' });
    await writeFile(join(folder, 'mount', 'token'), 'second\n');
    await timer.advance(60_000);
    expect(await connection?.headers({ fresh: true })).toEqual({ authorization: 'Bearer second' });
  });

  test.each<[string, (environment: PodEnvironment) => PodEnvironment]>([
    ['KUBECONFIG names a kubeconfig', (of) => ({ ...of, variables: { ...VARIABLES, KUBECONFIG: '/etc/kubeconfig' } })],
    ['the user has a kubeconfig', (of) => ({ ...of, home: join(folder, 'user') })],
    ['no ServiceAccount is mounted', (of) => ({ ...of, mount: join(folder, 'missing') })],
    ['no API server is announced', (of) => ({ ...of, variables: {} })],
    ['the API server has no TLS', (of) => ({ ...of, variables: { ...VARIABLES, KUBERNETES_SERVICE_PORT: '8080' } })],
  ])('is not used where %s', (_, environment) => {
    expect(findServiceAccount(environment(pod))).toBeNull();
  });
});
