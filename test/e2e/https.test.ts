// The dashboard of a controller over HTTPS: its certificate is renewed, and broken, while it runs.

import { get } from 'node:https';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeAuthority, signServing } from '../../src/adapters/admission/certificates.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { knownSecret } from '../fakes/known-secrets.ts';
import { MountedSecret } from '../fakes/mounted-secret.ts';
import { startConstantCluster } from './constant-cluster.ts';
import { logged, runController, startController } from './controller-process.ts';
import { TestFixture } from './processes.ts';

const HOST = 'evenkeel.evenkeel-system.svc';

let fixture: TestFixture;
let secret: MountedSecret;
beforeEach(() => {
  fixture = new TestFixture();
  secret = new MountedSecret();
  fixture.addCleanup(() => secret.remove());
});
afterEach(() => fixture.tearDown());

interface Answer {
  readonly serial: string;
  readonly hsts: string | undefined;
  readonly body: string;
}

function ask(port: string, ca: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, ca, servername: HOST, path, headers: { host: HOST }, agent: false as const };
    get(options, (response) => {
      const serial = response.socket instanceof TLSSocket ? response.socket.getPeerCertificate().serialNumber : '';
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ serial, hsts: response.headers['strict-transport-security'], body }));
    }).on('error', reject);
  });
}

test(
  'a renewed certificate is served without a restart, a broken one leaves the earlier in use, and health has the reason',
  async () => {
    const authority = await makeAuthority(Date.now());
    const sign = async () => {
      const { certificate, key } = await signServing(authority, [HOST], Date.now());
      knownSecret('a key of the dashboard', key.split('\n')[1] ?? '');
      return { 'tls.crt': certificate, 'tls.key': key };
    };
    const [first, second] = [await sign(), await sign()];
    const containers = [{ name: 'app', resources: { requests: { cpu: '1' } }, uses: { cpuMillicores: 100, memoryMib: 100 } }];
    const { demo } = await startConstantCluster(fixture, 'https', [{ kind: 'Deployment', name: 'web', replicas: 1, containers }], 1);
    const settings = {
      'kubernetes.kubeconfig': demo.kubeconfig,
      'dashboard.tls.cert-file': secret.file('tls.crt'),
      'dashboard.tls.key-file': secret.file('tls.key'),
    };
    secret.replace({ ...first, 'tls.key': second['tls.key'] });
    const refused = runController(fixture, settings);
    expect((await refused.exit()).code).not.toBe(0);
    expect(refused.recentOutput()).toContain('the key belongs to another certificate');

    secret.replace(first);
    const controller = await startController(fixture, settings);
    const { port } = new URL(controller.dashboard);
    const { serial, hsts } = await ask(port, authority.certificate, '/api/v1/mode');
    expect(hsts).toBe('max-age=31536000');
    const health = async (): Promise<string> => {
      const { body } = await ask(port, authority.certificate, '/api/v1/health?limit=100');
      const { data } = JSON.parse(body) as { readonly data: readonly { readonly name: string; readonly message: string }[] };
      return data.find(({ name }) => name === 'dashboard-tls')?.message ?? '';
    };
    expect(await health()).toMatch(/^the certificate in use expires at /);

    secret.replace({ ...second, 'tls.key': first['tls.key'] });
    await eventually('health has the reason: the files are read every ten seconds', HANG_MS, async () =>
      (await health()).includes('the key belongs to another certificate'),
    );
    expect((await ask(port, authority.certificate, '/api/v1/mode')).serial).toBe(serial);
    expect(logged(controller.process, 'Failed to read a new certificate; the earlier one stays in use')).toHaveLength(1);

    secret.replace(second);
    await eventually('the renewed certificate is served: the files are read every ten seconds', HANG_MS, async () => {
      return (await ask(port, authority.certificate, '/api/v1/mode')).serial !== serial;
    });
    expect(await health()).toMatch(/^the certificate in use expires at /);
    await expect(fetch(controller.dashboard)).rejects.toThrow();
    expect((await fetch(`${controller.probes}/readyz`)).status).toBe(200);
  },
  HANG_TEST_MS,
);
