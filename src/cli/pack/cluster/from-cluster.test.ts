import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApiWorld } from '#embedded-cluster/testing/api-world';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiRequest, ApiResponse, ApiTransport } from '#kube/api-transport';
import type { ClusterConnection } from '../../connect.ts';
import { createPackCommand } from '../command.ts';
import type { PackSummary } from '../report/summary.ts';

let world: ApiWorld;
let requests: ApiRequest[];
beforeEach(async () => {
  world = new ApiWorld();
  requests = [];
  await world.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
});

/** @param refuse answers instead of the API server */
async function run(args: readonly string[], refuse: (request: ApiRequest) => ApiResponse | null = () => null) {
  const request = (given: ApiRequest): Promise<ApiResponse> => {
    requests.push(given);
    const refused = refuse(given);
    return refused === null ? world.transport.request(given) : Promise.resolve(refused);
  };
  const transport = { request } as unknown as ApiTransport;
  const connection = { transport, close: () => undefined } as unknown as ClusterConnection;
  const printed = { out: '', err: '' };
  const code = await createPackCommand(() => Promise.resolve(connection)).run([...args, '--from-cluster', '--seconds', '1'], {
    out: (line) => (printed.out += `${line}\n`),
    err: (line) => (printed.err += `${line}\n`),
    environment: {},
    interrupted: new AbortController().signal,
  });
  return { code, ...printed };
}

async function summaryOf(...args: string[]): Promise<PackSummary> {
  const { code, out, err } = await run([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as PackSummary;
}

type Json = Readonly<Record<string, unknown>>;

async function aNode(
  name: string,
  machineType: string | null,
  { labels = {}, taints = [] }: { labels?: Json; taints?: readonly Json[] } = {},
) {
  const type = machineType === null ? {} : { 'node.kubernetes.io/instance-type': machineType };
  const amounts = { cpu: '4', memory: '13Gi', pods: '110' };
  await world.post('/api/v1/nodes', {
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { ...type, ...labels } }, spec: { taints } },
    status: { capacity: { ...amounts, memory: '16Gi' }, allocatable: amounts },
  });
}

async function aPod(
  name: string,
  nodeName: string | null,
  { cpu = '1', kind = 'ReplicaSet', spec = {} }: { cpu?: string; kind?: string | null; spec?: Json } = {},
) {
  const owners = kind === null ? [] : [{ apiVersion: 'apps/v1', kind, name: 'web', uid: 'u', controller: true }];
  const containers = [{ name: 'main', image: 'a', resources: { requests: { cpu, memory: '1Gi' } } }];
  await world.post('/api/v1/namespaces/shop/pods', {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, ownerReferences: owners } },
    spec: { ...(nodeName === null ? {} : { nodeName }), containers, ...spec },
  });
}

const E2 = 0.134023;

describe('evenkeel pack --from-cluster', () => {
  test('packs the running and pending pods onto the machine types of the nodes, at list prices, and only reads', async () => {
    await aNode('n1', 'e2-standard-4');
    await aNode('n2', 'n2-standard-4');
    for (const [name, node] of [
      ['a', 'n1'],
      ['b', 'n2'],
      ['waits', null],
    ] as const)
      await aPod(name, node);
    const summary = await summaryOf();
    expect(summary.existing).toMatchObject({ nodes: 2, pendingPods: 1, priceSources: ['list price, us-central1, 2026-08-06'] });
    expect(summary.existing?.usdPerHour).toBeCloseTo(E2 + 0.194236, 9);
    expect(summary.methods[0]).toMatchObject({ nodes: 1, usdPerHour: expect.closeTo(E2, 9) });
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    for (const { query } of requests) expect(query).toMatchObject({ limit: 500 });
  });

  test('takes what pods of DaemonSets request off every machine', async () => {
    await aNode('n1', 'e2-standard-4');
    await aPod('agent', 'n1', { cpu: '500m', kind: 'DaemonSet' });
    for (const name of ['a', 'b', 'c', 'd']) await aPod(name, null);
    expect((await summaryOf()).methods[0]).toMatchObject({ nodes: 2 });
  });

  test('keeps headroom of the whole node, before pods of DaemonSets are subtracted', async () => {
    await aNode('n1', 'e2-standard-4');
    await aPod('agent', 'n1', { kind: 'DaemonSet' });
    for (const name of ['a', 'b']) await aPod(name, null, { cpu: '1100m' });
    expect((await summaryOf()).methods[0]).toMatchObject({ nodes: 1 });
    expect((await summaryOf('--headroom', '25')).methods[0]).toMatchObject({ nodes: 2 });
  });

  test('takes nothing off a machine for a pod that is being deleted', async () => {
    await aNode('n1', 'e2-standard-4');
    await aPod('ends', 'n1', { cpu: '500m' });
    const path = '/api/v1/namespaces/shop/pods/ends';
    const { body } = await world.get(path);
    const pod = body as { readonly metadata: Json };
    await world.put(path, { ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/wait'] } });
    await world.delete(path);
    for (const name of ['a', 'b', 'c', 'd']) await aPod(name, null);
    expect((await summaryOf()).methods[0]).toMatchObject({ nodes: 1 });
  });

  test('uses the prices of a file, or of a pools file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-pack-cluster-'));
    try {
      await aNode('n1', 'm7g.xlarge');
      await aPod('a', 'n1');
      expect((await summaryOf()).existing?.priceSources).toEqual([
        'estimate from vCPU and memory (m7g.xlarge; state what you pay with --prices)',
      ]);
      const prices = join(folder, 'prices.yaml');
      writeFileSync(prices, 'machines: { m7g.xlarge: { onDemand: 0.5 } }\n');
      expect(await summaryOf('--prices', prices)).toMatchObject({ existing: { usdPerHour: 0.5, priceSources: ['prices.file'] } });
      writeFileSync(prices, 'machines: { m7g.xlarge: { onDemand: -1 } }\n');
      expect((await run(['--prices', prices])).err).toContain('machines.m7g.xlarge.onDemand must be a number of 0 or more, not -1');
      const pools = join(folder, 'pools.csv');
      writeFileSync(pools, 'machine_type,vcpu,memory_gib,usd_per_hour\nm7g.xlarge,4,16,0.4\nsmall,2,4,0.1\n');
      const summary = await summaryOf('--pools', pools);
      expect(summary.existing).toMatchObject({ usdPerHour: 0.4, priceSources: [] });
      expect(summary.machineTypes.map(({ machineType }) => machineType)).toEqual(['small']);
      writeFileSync(pools, 'machine_type,vcpu,memory_gib,usd_per_hour\nsmall,2,4,0.1\n');
      expect((await run(['--pools', pools])).err).toBe(
        'evenkeel pack: Node n1: machine type "m7g.xlarge" is in no pool, so that its price is unknown; add it to the pools\n',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('uses spot nodes for pods that run on some now, and says what it would save to use them for every pod', async () => {
    await aNode('n1', 'e2-standard-4');
    await aNode('s1', 'e2-standard-4', { labels: { 'cloud.google.com/gke-spot': 'true' } });
    await aPod('a', 'n1', { cpu: '3' });
    await aPod('b', 's1', { cpu: '3' });
    const { machineTypes, gap } = await summaryOf();
    expect(machineTypes.map(({ machineType, pods }) => [machineType, pods])).toEqual([
      ['e2-standard-4', 1],
      ['e2-standard-4', 1],
    ]);
    expect(gap?.parts.find(({ cause }) => cause === 'spot-caution')?.usdPerHour).toBeCloseTo(E2 - 0.080424, 6);
  });

  const SPOT = { 'cloud.google.com/gke-spot': 'true' };

  test('adds no pod that runs on demand to a spot node that stays', async () => {
    await aNode('n1', 'e2-standard-4');
    await aNode('s1', 'e2-standard-4', { labels: SPOT });
    await aPod('on-demand', 'n1');
    await aPod('stays', 's1', { kind: null });
    const { methods, gap } = await summaryOf();
    expect(methods[0]).toMatchObject({ nodes: 2, usdPerHour: expect.closeTo(E2 + 0.080424, 6) });
    expect(gap?.parts.find(({ cause }) => cause === 'spot-caution')?.usdPerHour).toBeCloseTo(E2 - 0.080424, 6);
  });

  test('packs a pending pod that selects spot nodes onto one', async () => {
    await aNode('n1', 'e2-standard-4');
    await aNode('s1', 'e2-standard-4', { labels: SPOT });
    await aPod('a', 'n1', { cpu: '3' });
    await aPod('wants-spot', null, { cpu: '3', spec: { nodeSelector: SPOT } });
    expect((await summaryOf()).methods[0]).toMatchObject({ nodes: 2, usdPerHour: expect.closeTo(E2 + 0.080424, 6) });
  });

  test('leaves out pending pods that no node may hold, and names them', async () => {
    await aNode('n1', 'e2-standard-4');
    await aPod('a', 'n1');
    await aPod('large', null, { cpu: '40' });
    await aPod('elsewhere', null, { spec: { nodeSelector: { 'node.kubernetes.io/instance-type': 'n2-standard-4' } } });
    const { existing, methods, notes } = await summaryOf();
    expect(existing).toMatchObject({ pendingPods: 0 });
    expect(methods[0]).toMatchObject({ nodes: 1 });
    expect(notes).toContain('2 pending pods fit on no node that they may use, and are left out: shop/elsewhere, shop/large');
  });

  test('adds no nodes of the control plane, and none with shared cores', async () => {
    const label = 'node-role.kubernetes.io/control-plane';
    await aNode('master', 'e2-standard-2', { labels: { [label]: '' }, taints: [{ key: label, effect: 'NoSchedule' }] });
    await aNode('m1', 'e2-medium');
    await aNode('n1', 'n2-standard-4');
    const spec = { tolerations: [{ operator: 'Exists' }] };
    for (const name of ['a', 'b', 'c']) await aPod(name, 'n1', { cpu: '3', spec });
    const { machineTypes, notes } = await summaryOf();
    expect(machineTypes.map(({ machineType, nodes }) => [machineType, nodes])).toEqual([
      ['n2-standard-4', 2],
      ['e2-standard-2', 1],
    ]);
    expect(notes).toContain('machine types with shared cores sustain less CPU than they state, and no node of them is added: e2-medium');
  });

  test('reports the nodes as they are where every pod stays', async () => {
    await aNode('n1', 'e2-standard-4');
    await aPod('a', 'n1', { kind: null });
    expect((await run([])).out).toContain('Lower bound: no pod can be packed, so that it is the cost of the nodes that stay.');
    const { methods, gap, existing } = await summaryOf();
    expect(existing?.usdPerHour).toBeCloseTo(E2, 9);
    expect(methods[0]).toMatchObject({ nodes: 1, usdPerHour: expect.closeTo(E2, 9), gap: 0 });
    expect(gap?.parts.map(({ cause }) => cause)).toContain('immovable-pods');
  });

  test('counts what a node has allocated during a resize', async () => {
    await aNode('n1', 'e2-standard-4');
    await aPod('shrinks', 'n1', { kind: null });
    await aPod('a', 'n1', { cpu: '2' });
    const path = '/api/v1/namespaces/shop/pods/shrinks';
    const { body } = await world.get(path);
    const status = { phase: 'Running', containerStatuses: [{ name: 'main', allocatedResources: { cpu: '3' } }] };
    await world.put(`${path}/status`, { ...(body as Json), status });
    expect((await summaryOf()).methods[0]).toMatchObject({ nodes: 2 });
  });

  test('keeps taints of nodes', async () => {
    await aNode('n1', 'e2-standard-4');
    await aNode('t1', 'e2-highcpu-4', { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] });
    await aPod('a', 'n1', { spec: { tolerations: [] } });
    await aPod('b', 't1', { spec: { tolerations: [{ key: 'team', operator: 'Exists' }] } });
    const { machineTypes } = await summaryOf();
    // The cheaper one is tainted.
    expect(machineTypes.map(({ machineType }) => machineType)).toEqual(['e2-standard-4']);
  });

  test('names every resource that it may not list', async () => {
    await aNode('n1', 'e2-standard-4');
    const forbidden = ({ path }: ApiRequest): ApiResponse | null =>
      /pods|volumes$/.test(path)
        ? {
            status: 403,
            headers: {},
            body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no access' },
          }
        : null;
    const { code, out, err } = await run([], forbidden);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      'evenkeel pack: may not list pods in all namespaces: no access; grant the verb list, see docs/pack.md\n' +
        'evenkeel pack: may not list persistentvolumes in all namespaces: no access; grant the verb list, see docs/pack.md\n',
    );
  });

  test('names nodes without a machine type, and options that exclude each other', async () => {
    await aNode('n1', null);
    await aPod('a', 'n1');
    expect(await run([])).toMatchObject({
      code: 2,
      err: 'evenkeel pack: node n1 has no label node.kubernetes.io/instance-type, so that its price is unknown; add the label\n',
    });
    expect((await run(['--pods', 'a.csv', '--nodes', 'b.csv'])).err).toMatch(
      /--pods: the cluster is read with --from-cluster[^]*--nodes: /,
    );
    expect((await run(['--pools', 'a.csv', '--prices', 'b.yaml'])).err).toContain('--prices: the pools of --pools have prices');
  });

  test('reports a kubeconfig that is missing', async () => {
    const printed: string[] = [];
    const code = await createPackCommand(() => Promise.reject(new Error('no kubeconfig was found'))).run(['--from-cluster'], {
      out: (line) => void printed.push(line),
      err: (line) => void printed.push(line),
      environment: {},
      interrupted: new AbortController().signal,
    });
    expect({ code, printed }).toEqual({ code: 1, printed: ['evenkeel pack: no kubeconfig was found'] });
  });
});
