import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { aDeployment } from '../testing/workloads.ts';
import { type StartedCluster, type StartOptions, startEmbeddedCluster } from './start.ts';

const started: StartedCluster[] = [];

afterEach(async () => {
  for (const cluster of started.splice(0)) await cluster.close();
});

async function start(options?: StartOptions): Promise<StartedCluster> {
  const cluster = await startEmbeddedCluster(options);
  started.push(cluster);
  return cluster;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** As a client reads the cluster by its kubeconfig. */
async function get(kubeconfig: string, path: string): Promise<unknown> {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster;
  const options = { ca: Buffer.from(authority, 'base64'), headers: { authorization: `Bearer ${users[0].user.token}` } };
  const sent = request(new URL(path, server), options).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return json(response);
}

/** Names and nodes of the pods of a Deployment, after two minutes. */
async function podsOfADeployment(cluster: StartedCluster): Promise<readonly unknown[]> {
  const client = cluster.transport('test');
  await client.request({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  });
  const created = await client.request({ method: 'POST', path: '/apis/apps/v1/namespaces/shop/deployments', body: aDeployment() });
  expect(created.status).toBe(201);
  await cluster.live(120_000);
  const { items } = (await get(cluster.kubeconfig, '/api/v1/namespaces/shop/pods')) as {
    items: readonly { metadata: { name: string }; spec: { nodeName: string }; status: { phase: string } }[];
  };
  return items.map(({ metadata, spec, status }) => [metadata.name, spec.nodeName, status.phase]);
}

test('the same seed gives the same pods on the same nodes, another seed others', async () => {
  const [first, second, other] = [await start(), await start(), await start({ seed: 2 })];
  const pods = await podsOfADeployment(first);
  expect(pods).toHaveLength(3);
  expect(pods).toEqual(pods.map(() => [expect.stringMatching(/^web-/), expect.any(String), 'Running']));
  expect(await podsOfADeployment(second)).toEqual(pods);
  expect(await podsOfADeployment(other)).not.toEqual(pods);
});

test('options choose the nodes and when the cluster begins', async () => {
  const startAt = Date.UTC(2030, 0, 1);
  const { cluster, kubeconfig } = await start({ nodes: 2, machineTypes: ['n2-standard-2'], startAt });
  expect(cluster.clock.now()).toBe(startAt);
  const { items } = (await get(kubeconfig, '/api/v1/nodes')) as { items: readonly { metadata: { labels: Record<string, string> } }[] };
  expect(items.map(({ metadata }) => metadata.labels['node.kubernetes.io/instance-type'])).toEqual(['n2-standard-2', 'n2-standard-2']);
});

test('a closed cluster answers no more and leaves no file', async () => {
  const cluster = await startEmbeddedCluster();
  await cluster.close();
  expect(existsSync(cluster.kubeconfig)).toBe(false);
  await expect(fetch(cluster.url)).rejects.toThrow();
});

test('a machine type that does not exist is refused, and no server is left', async () => {
  await expect(startEmbeddedCluster({ machineTypes: ['abacus-1'] })).rejects.toThrow('abacus-1');
});
