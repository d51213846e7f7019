import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { resolveKubeConfig } from './kube-config.ts';
import { openConnection } from './open-connection.ts';
import { ConfigurationError } from '../../../ports/configuration-error.ts';

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenkeel-kubeconfig-'));
  path = join(folder, 'config');
  await writeFile(join(folder, 'token'), 'first');
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'one',
      clusters: [
        {
          name: 'c',
          cluster: {
            server: 'https://127.0.0.1:6443/',
            'certificate-authority-data': Buffer.from('CA').toString('base64'),
            'tls-server-name': 'kubernetes',
          },
        },
      ],
      users: [
        { name: 'token', user: { token: 'secret' } },
        { name: 'file', user: { tokenFile: 'token', token: 'outdated' } },
        {
          name: 'exec',
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: 'cat',
              args: [join(folder, 'credential.json')],
              interactiveMode: 'Never',
            },
          },
        },
      ],
      contexts: [
        { name: 'one', context: { cluster: 'c', user: 'token', namespace: 'team' } },
        { name: 'rotating', context: { cluster: 'c', user: 'file' } },
        { name: 'two', context: { cluster: 'c', user: 'exec' } },
        { name: 'inClusterContext', context: { cluster: 'c', user: 'token' } },
        { name: 'broken', context: { cluster: 'missing', user: 'token' } },
      ],
    }),
  );
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('resolveKubeConfig', () => {
  test('reads server, CA, namespace and credentials of the current context', async () => {
    const config = await resolveKubeConfig({ path, timer: new FakeClock() });
    expect(config).toMatchObject({
      server: 'https://127.0.0.1:6443',
      context: 'one',
      namespace: 'team',
      tls: { serverName: 'kubernetes', verify: true },
    });
    expect(String(config.tls.ca)).toBe('CA');
    expect(await config.headers()).toEqual({ authorization: 'Bearer secret' });
  });

  test('has no cluster name where client-node invents one, as in a pod', async () => {
    expect(await resolveKubeConfig({ path, context: 'inClusterContext', timer: new FakeClock() })).toMatchObject({ context: '' });
  });

  test('caches the answer of an exec plugin, and runs it again after a rejection', async () => {
    const credential = (token: string, expires: string): string =>
      JSON.stringify({
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        status: { token, expirationTimestamp: expires },
      });
    await writeFile(join(folder, 'credential.json'), credential('first', '2020-01-01T00:00:00Z'));
    const timer = new FakeClock();
    const config = await resolveKubeConfig({ path, context: 'two', timer });
    expect(await config.headers()).toEqual({ authorization: 'Bearer first' });
    await writeFile(join(folder, 'credential.json'), credential('second', '2020-01-01T00:00:00Z'));
    expect(await config.headers()).toEqual({ authorization: 'Bearer first' });
    expect(await config.headers({ fresh: true })).toEqual({ authorization: 'Bearer second' });
  });

  test('a token file is reread at intervals, and at once when the token is rejected', async () => {
    const timer = new FakeClock();
    const config = await resolveKubeConfig({ path, context: 'rotating', timer });
    expect(await config.headers()).toEqual({ authorization: 'Bearer first' });
    await writeFile(join(folder, 'token'), 'second\n');
    expect(await config.headers()).toEqual({ authorization: 'Bearer first' });
    expect(await config.headers({ fresh: true })).toEqual({ authorization: 'Bearer second' });
    await writeFile(join(folder, 'token'), 'third');
    await timer.advance(31_000);
    expect(await config.headers()).toEqual({ authorization: 'Bearer third' });
  });

  test('the last token is used while its file is being replaced', async () => {
    const config = await resolveKubeConfig({ path, context: 'rotating', timer: new FakeClock() });
    const [before] = Object.values(await config.headers());
    await rename(join(folder, 'token'), join(folder, 'away'));
    expect(await config.headers({ fresh: true })).toEqual({ authorization: before });
    await writeFile(join(folder, 'token'), '');
    expect(await config.headers({ fresh: true })).toEqual({ authorization: before });
    await rename(join(folder, 'away'), join(folder, 'token'));
  });

  test('lists the existing contexts for an unknown one', async () => {
    await expect(resolveKubeConfig({ path, context: 'three', timer: new FakeClock() })).rejects.toThrow(
      'no context "three": it has one, rotating, two, inClusterContext, broken',
    );
  });

  test('names a file that cannot be read, and the remedy', async () => {
    const missing = resolveKubeConfig({ path: join(folder, 'missing'), timer: new FakeClock() });
    await expect(missing).rejects.toThrow(ConfigurationError);
    await expect(missing).rejects.toThrow(
      /^kubeconfig .*missing cannot be read: .*ENOENT.*; name a kubeconfig by the setting .* or by KUBECONFIG, or run in a pod/,
    );
  });

  test('names the context without a cluster', async () => {
    await expect(resolveKubeConfig({ path, context: 'broken', timer: new FakeClock() })).rejects.toThrow('context "broken" has no cluster');
  });
});

describe('openConnection', () => {
  /** The connection of a context, as another thread opens it. */
  async function openContext(context: string, timer: FakeClock) {
    const { source } = await resolveKubeConfig({ path, context, timer });
    return openConnection(structuredClone(source), timer);
  }

  test('connects to the same server with the same authority and token', async () => {
    const connection = await openContext('one', new FakeClock());
    expect(connection).toMatchObject({ server: 'https://127.0.0.1:6443', tls: { serverName: 'kubernetes', verify: true } });
    expect(Buffer.from(connection.tls.ca ?? '').toString()).toBe('CA');
    expect(await connection.headers()).toEqual({ authorization: 'Bearer secret' });
  });

  test('rereads a token file at intervals, and at once when the token is rejected', async () => {
    const timer = new FakeClock();
    await writeFile(join(folder, 'token'), 'fourth');
    const connection = await openContext('rotating', timer);
    expect(await connection.headers()).toEqual({ authorization: 'Bearer fourth' });
    await writeFile(join(folder, 'token'), 'fifth');
    expect(await connection.headers()).toEqual({ authorization: 'Bearer fourth' });
    expect(await connection.headers({ fresh: true })).toEqual({ authorization: 'Bearer fifth' });
    await writeFile(join(folder, 'token'), 'sixth');
    await timer.advance(31_000);
    expect(await connection.headers()).toEqual({ authorization: 'Bearer sixth' });
  });

  test('runs the exec plugin of a kubeconfig itself', async () => {
    const credential = (token: string): string =>
      JSON.stringify({
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        status: { token, expirationTimestamp: '2020-01-01T00:00:00Z' },
      });
    await writeFile(join(folder, 'credential.json'), credential('third'));
    const connection = await openContext('two', new FakeClock());
    expect(await connection.headers()).toEqual({ authorization: 'Bearer third' });
    await writeFile(join(folder, 'credential.json'), credential('fourth'));
    expect(await connection.headers({ fresh: true })).toEqual({ authorization: 'Bearer fourth' });
  });
});
