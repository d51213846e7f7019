import { request } from 'node:https';
import { afterEach, describe, expect, test } from '@jest/globals';
import { FakeClusterAccess } from '../../../testing/fake-cluster-access.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { makeServingCertificate } from '../../api/http/serving-certificate.ts';
import { KubeletServers } from './kubelet-server.ts';
import { createNodes } from '../node-pool.ts';

let servers: KubeletServers | undefined;
afterEach(() => servers?.stop());

async function aServer() {
  const clock = new ManualClock();
  const cluster = new FakeClusterAccess(clock);
  const [node = ''] = createNodes(cluster, { count: 1, machineTypes: ['e2-standard-2'], seed: 1, now: clock.now() });
  const { key, certificate, caCertificate } = await makeServingCertificate('127.0.0.1');
  servers = new KubeletServers({
    cluster,
    endpoints: { get: (name, path) => ({ status: 200, contentType: 'text/plain', body: `${name} ${path}` }) },
    cert: certificate,
    key,
    authorize: (token, _node, subresource) => (token === 'bad' ? 'unknown' : token === subresource ? 'allowed' : 'denied'),
    onError: (_, error) => {
      throw error;
    },
  });
  await servers.start();
  const { status } = cluster.get('nodes', null, node) as unknown as { status: { daemonEndpoints: { kubeletEndpoint: { Port: number } } } };
  const port = status.daemonEndpoints.kubeletEndpoint.Port;
  const get = (path: string, token?: string, method = 'GET'): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const asked = request({ host: '127.0.0.1', port, method, path, headers, ca: caCertificate, agent: false }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => resolve([response.statusCode ?? 0, body]));
      });
      asked.on('error', reject);
      asked.end();
    });
  return { node, get };
}

describe('KubeletServers', () => {
  test('listens on the port of the Node, and serves tokens with the permission', async () => {
    const { node, get } = await aServer();
    expect(await get('/metrics/resource', 'metrics')).toEqual([200, `${node} /metrics/resource`]);
    const statuses = (...asked: [string, string?][]) => Promise.all(asked.map(async ([path, token]) => (await get(path, token))[0]));
    expect(await statuses(['/pods', 'metrics'], ['/pods', 'pods'], ['/stats/summary', 'stats'], ['/logs/x', 'log'])).toEqual([
      403, 200, 200, 200,
    ]);
    expect(await statuses(['/pods', 'proxy'], ['/exec/a', 'proxy'], ['/exec/a', 'metrics'])).toEqual([200, 200, 403]);
    expect(await statuses(['/metrics/resource', 'bad'])).toEqual([401]);
  });

  test('only reads are possible', async () => {
    const { get } = await aServer();
    expect((await get('/pods', 'proxy', 'POST'))[0]).toBe(405);
  });
});
