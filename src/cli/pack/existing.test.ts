import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aNode, aPod, type Json, OWNER, ZONE_SPREAD } from '../../../test/builders/cluster-objects.ts';
import { packCommand } from './command.ts';
import type { PackSummary } from './report/summary.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-pack-existing-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const code = await packCommand.run([...args, '--seconds', '1'], {
    out: (line) => (printed.out += `${line}\n`),
    err: (line) => (printed.err += `${line.replaceAll(folder, '.')}\n`),
    environment: {},
    interrupted: new AbortController().signal,
  });
  return { code, ...printed };
}

const POOLS = 'machine_type,vcpu,memory_gib,usd_per_hour,max\nsmall,2,4,0.1,\nlarge,8,32,0.45,5\n';

async function packObjects(...objects: readonly Json[]): Promise<{ code: number; err: string; out: string; summary: PackSummary }> {
  const cluster = file('cluster.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const result = await run('--nodes', cluster, '--pools', file('pools.csv', POOLS), '--json');
  return { ...result, summary: (result.code === 0 ? JSON.parse(result.out) : null) as PackSummary };
}

describe('evenkeel pack --nodes', () => {
  test('compares a packing of the pods with what the nodes cost now', async () => {
    const { code, err, summary } = await packObjects(aNode('n1'), aNode('n2'), aPod('a', 'n1'), aPod('b', 'n2'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(summary.existing).toMatchObject({ nodes: 2, usdPerHour: 0.9, pendingPods: 0, staying: { nodes: 0, usdPerHour: 0 } });
    expect(summary.methods[0]).toMatchObject({ nodes: 1, usdPerHour: 0.1 });
    expect(summary.gap?.parts).toEqual([
      { cause: 'fragmentation', usdPerHour: expect.closeTo(0.8, 9) },
      { cause: 'policy', usdPerHour: 0 },
      { cause: 'not-proven', usdPerHour: expect.closeTo(0, 6) },
    ]);
  });

  test.each<[string, { metadata?: Json; spec?: Json }, string]>([
    ['without a controller', { metadata: { ownerReferences: [] } }, 'it has no controller'],
    [
      'that must not be evicted',
      { metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } } },
      'an annotation forbids to disrupt it',
    ],
    [
      'that Karpenter must not disrupt',
      { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } },
      'an annotation forbids to disrupt it',
    ],
    ['with an emptyDir', { spec: { volumes: [{ name: 'scratch', emptyDir: {} }] } }, 'it has local storage'],
    ['with a hostPath', { spec: { volumes: [{ name: 'logs', hostPath: { path: '/var/log' } }] } }, 'it has local storage'],
    [
      'with a local PersistentVolume',
      { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] } },
      'its PersistentVolume is local',
    ],
    ['whose budget allows no eviction', { metadata: { labels: { app: 'db' } } }, 'its PodDisruptionBudget allows no eviction'],
    ['with two budgets', { metadata: { labels: { app: 'cache' } } }, 'it has several PodDisruptionBudgets'],
    [
      'with a host port',
      { spec: { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] } },
      'it has host ports, which are not supported',
    ],
  ])('keeps the node of a pod %s, and packs others onto it', async (_, changes, reason) => {
    const budget = (name: string, app: string, disruptionsAllowed: number): Json => ({
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, namespace: 'shop' } },
      ...{ spec: { selector: { matchLabels: { app } } }, status: { disruptionsAllowed } },
    });
    const volume = [
      { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk' }, spec: { local: { path: '/mnt' } } },
      { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'shop' }, spec: { volumeName: 'disk' } },
    ];
    const budgets = [budget('db', 'db', 0), budget('one', 'cache', 1), budget('two', 'cache', 1)];
    const { code, err, summary } = await packObjects(
      aNode('n1'),
      aNode('n2'),
      aPod('a', 'n1', changes),
      aPod('b', 'n2'),
      ...budgets,
      ...volume,
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(summary.existing?.staying.reasons).toEqual([{ reason, pods: 1, nodes: ['n1'] }]);
    // A pod whose rules are not understood may refuse others, so that none joins it.
    expect(summary.methods[0]!.usdPerHour).toBeCloseTo(reason.includes('host ports') ? 0.55 : 0.45, 9);
    expect(summary.gap?.parts[1]).toEqual({
      cause: 'immovable-pods',
      usdPerHour: expect.closeTo(reason.includes('host ports') ? 0.45 : 0.35, 6),
    });
  });

  test.each<[string, { metadata?: Json; spec?: Json }]>([
    [
      'whose local storage is listed as safe',
      {
        metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes': 'a, scratch' } },
        spec: { volumes: [{ name: 'scratch', emptyDir: {} }] },
      },
    ],
    ['with a memory-backed emptyDir', { spec: { volumes: [{ name: 'scratch', emptyDir: { medium: 'Memory' } }] } }],
    [
      'that is marked as safe to evict',
      {
        metadata: { ownerReferences: [], annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } },
        spec: { volumes: [{ name: 'scratch', emptyDir: {} }] },
      },
    ],
    ['of a DaemonSet', { metadata: { ownerReferences: [{ ...OWNER, kind: 'DaemonSet' }] } }],
    [
      'that is static',
      { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [{ ...OWNER, kind: 'Node' }] } },
    ],
    ['that is being deleted', { metadata: { deletionTimestamp: '2026-11-01T00:00:00Z' } }],
  ])('gives up the node of a pod %s', async (_, changes) => {
    const { summary } = await packObjects(aNode('n1'), aPod('a', 'n1', changes), aNode('n2'), aPod('b', 'n2'));
    expect(summary.existing?.staying.nodes).toBe(0);
  });

  test('keeps nodes of the control plane, and those whose annotation forbids it; adds pods by taints, cordon and labels', async () => {
    const kept = { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } };
    const nodes = [
      aNode('master', {
        labels: { 'node-role.kubernetes.io/control-plane': '' },
        spec: { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] },
      }),
      aNode('cordoned', { ...kept, spec: { unschedulable: true } }),
      aNode('n1'),
    ];
    const { summary } = await packObjects(...nodes, aPod('a', 'n1'), aPod('b', 'cordoned'));
    expect(summary.existing?.staying.reasons.map(({ reason }) => reason)).toEqual([
      'an annotation of the node forbids its removal',
      'it is of the control plane',
    ]);
    expect(summary.methods[0]!.usdPerHour).toBeCloseTo(1, 9);
    const open = await packObjects(aNode('open', kept), aNode('n1'), aPod('a', 'n1'));
    expect(open.summary.methods[0]!.usdPerHour).toBeCloseTo(0.45, 9);
  });

  test('packs pending pods, too, and counts what they cost apart', async () => {
    const { summary } = await packObjects(aNode('n1'), aPod('a', 'n1'), ...['b', 'c', 'd', 'e'].map((name) => aPod(name, null)));
    expect(summary.existing?.pendingPods).toBe(4);
    expect(summary.gap?.parts.slice(0, 2)).toEqual([
      { cause: 'fragmentation', usdPerHour: expect.closeTo(0.35, 9) },
      { cause: 'pending-pods', usdPerHour: expect.closeTo(-0.2, 9) },
    ]);
  });

  test('counts nodes that stay for the max of their pool', async () => {
    const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => aNode(name));
    const staying = nodes.map((_, at) => aPod(`s${at}`, `n${at + 1}`, { metadata: { ownerReferences: [] } }));
    const big = aPod('big', null, { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '7500m' } } }] } });
    const { summary } = await packObjects(...nodes, ...staying, big);
    expect(summary.methods[0]!.usdPerHour).toBeCloseTo(5 * 0.45, 9);
    expect(summary.notes).toContain('1 pending pod fits on no node that it may use, and is left out: shop/big');
  });

  test('prints it as text, and writes pods that stay with the names of their nodes', async () => {
    const cluster = file(
      'text.json',
      JSON.stringify({
        kind: 'List',
        apiVersion: 'v1',
        items: [aNode('n1'), aPod('a', 'n1', { metadata: { ownerReferences: [] } }), aPod('b', 'n1')],
      }),
    );
    const [emit, report] = [join(folder, 'emit.csv'), join(folder, 'report.html')];
    const { out } = await run('--nodes', cluster, '--pools', file('pools.csv', POOLS), '--emit', emit, '--report', report);
    expect(out).toContain(
      '1 node now, for $0.4500 an hour. 1 of them stay, for $0.4500, with 1 pod that cannot move:\n  it has no controller: 1 pod on n1\n',
    );
    expect(out).toMatch(/^large \(stays\) +1 +2 +0\.4500 +25\.0 % +6\.3 %$/m);
    expect(out).toMatch(/^the nodes now +1 +0\.4500/m);
    expect(out).toMatch(/^immovable pods: their nodes given up, too +0\.3500 +77\.8 %$/m);
    expect(readFileSync(emit, 'utf8')).toBe('pod,node,machine_type\nshop/a,n1,large\nshop/b,n1,large\n');
    expect(readFileSync(report, 'utf8')).toContain('Why money is left');
  });

  test('reads nodes and pods from CSV', async () => {
    const nodes = file('nodes.csv', 'node,machine_type\nn1,large\nn2,large\n');
    const pods = file('placed.csv', 'name,cpu_milli,memory_mib,node\na,1000,100,n1\nb,1000,100,n2\nc,1000,100,\n');
    const { out } = await run('--nodes', nodes, '--pods', pods, '--pools', file('pools.csv', POOLS), '--json');
    expect((JSON.parse(out) as PackSummary).existing).toMatchObject({ nodes: 2, usdPerHour: 0.9, pendingPods: 1 });
  });
});

describe('rules beside nodes that exist', () => {
  const ZONE = 'topology.kubernetes.io/zone';
  const inZone = (name: string, zone: string, changes: { spec?: Json } = {}): Json => aNode(name, { ...changes, labels: { [ZONE]: zone } });
  const KEPT = { metadata: { ownerReferences: [] } };

  async function packZones(objects: readonly Json[], ...args: string[]): Promise<{ rows: string[]; err: string; summary: PackSummary }> {
    const cluster = file('zones.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const pools = file(
      'zones.csv',
      'machine_type,vcpu,memory_gib,usd_per_hour,zone,taints\nlarge,8,32,0.45,a,\nlarge,8,32,0.45,b,\nsmall,2,4,0.2,a,\nsmall,2,4,0.1,b,\n',
    );
    const emit = join(folder, 'zones-out.csv');
    const { code, out, err } = await run('--nodes', cluster, '--pools', pools, '--emit', emit, '--json', ...args);
    if (code !== 0) return { rows: [], err, summary: null as unknown as PackSummary };
    return { rows: readFileSync(emit, 'utf8').trimEnd().split('\n').slice(1), err, summary: JSON.parse(out) as PackSummary };
  }

  test('keep pods in the zone of their volume, on new nodes and on those that stay', async () => {
    const spec = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
    const term = { matchExpressions: [{ key: ZONE, operator: 'In', values: ['a'] }] };
    const storage = [
      {
        ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk' } },
        spec: {
          capacity: { storage: '1Gi' },
          csi: { driver: 'd', volumeHandle: 'h' },
          nodeAffinity: { required: { nodeSelectorTerms: [term] } },
        },
      },
      {
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'shop' } },
        ...{ spec: { volumeName: 'disk' }, status: { phase: 'Bound' } },
      },
    ];
    const stays = await packZones([inZone('n1', 'a'), inZone('n2', 'b'), aPod('db', 'n1', { spec }), aPod('kept', 'n2', KEPT), ...storage]);
    expect(stays.rows).toEqual(['shop/kept,n2,large,b', 'shop/db,small-a-1,small,a']);
  });

  test('keep pods with a rule between zones in their zone', async () => {
    const spec = ZONE_SPREAD;
    const objects = [inZone('n1', 'a'), inZone('n2', 'b'), aPod('p', 'n1', { spec }), aPod('q', 'n2', { spec })];
    const { rows, summary } = await packZones(objects);
    expect(rows.toSorted()).toEqual(['shop/p,small-a-1,small,a', 'shop/q,small-b-1,small,b']);
    expect(summary.notes).toContain('pods with a rule between zones keep the zone in which they run, also in the lower bound (2 of 2)');
    expect((await packZones([...objects, aPod('new', null, { spec })])).err).toContain(
      'Pod shop/new: has a rule between zones and is on no node, which is not packed beside nodes that exist; remove the rule, or the pods',
    );
  });

  test('take the requests of DaemonSets off new nodes, and headroom off all', async () => {
    const agent = {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace: 'shop' } },
      spec: { template: { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1500m' } } }] } } },
    };
    const objects = [inZone('n1', 'b'), inZone('n2', 'b'), aPod('p', 'n1')];
    expect((await packZones(objects)).rows).toEqual(['shop/p,small-b-1,small,b']);
    expect((await packZones([...objects, agent])).rows).toEqual([expect.stringContaining('shop/p,large-')]);
    const full = [inZone('n1', 'b'), aPod('kept', 'n1', KEPT), ...['p', 'q', 'r', 's', 't', 'u'].map((name) => aPod(name, 'n1'))];
    expect((await packZones(full)).summary.methods[0]!.usdPerHour).toBeCloseTo(0.45, 9);
    const free = await packZones(full, '--headroom', '25');
    expect(free.summary.methods[0]!.usdPerHour).toBeCloseTo(0.55, 9);
    expect(free.summary.gap?.parts.find(({ cause }) => cause === 'policy')).toBeDefined();
  });
});

describe('invalid nodes', () => {
  const rejects = async (nodes: string, pods: string | null): Promise<string> => {
    const podsArgs = pods === null ? [] : ['--pods', file('pods.csv', pods)];
    const { code, out, err } = await run('--nodes', nodes, ...podsArgs, '--pools', file('pools.csv', POOLS));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    return err;
  };
  const PODS = 'name,cpu_milli,memory_mib,node\na,1000,100,n1\n';

  test.each([
    [
      'an unknown machine type',
      'node,machine_type\nn1,huge\n',
      PODS,
      './nodes.csv:2:4: machine_type: machine type "huge" is in no pool, so that its price is unknown; add it to the pools',
    ],
    [
      'a node twice',
      'node,machine_type\nn1,large\nn1,large\n',
      PODS,
      './nodes.csv:3:1: node: "n1" is also on line 2; names must be unique',
    ],
    ['no node', 'node,machine_type\n', PODS, './nodes.csv: has no node; add one line for each'],
    [
      'a pod on another node',
      'node,machine_type\nn2,large\n',
      PODS,
      './pods.csv:2: pod a is on node n1, which ./nodes.csv does not have; add the node',
    ],
    ['no pods', 'node,machine_type\nn1,large\n', null, './nodes.csv: has no pods; give them with --pods'],
  ])('are refused: %s', async (_, nodes, pods, expected) => {
    expect(await rejects(file('nodes.csv', nodes), pods)).toContain(expected);
  });

  test('are refused: objects without a machine type, or with an unknown one', async () => {
    const objects = [
      aNode('n1', { labels: { 'node.kubernetes.io/instance-type': undefined } }),
      aNode('n2', { labels: { 'node.kubernetes.io/instance-type': 'huge' } }),
    ];
    const { code, err } = await packObjects(...objects);
    expect(code).toBe(2);
    expect(err).toContain('Node n1: has no label node.kubernetes.io/instance-type, so that its price is unknown; add the label');
    expect(err).toContain('Node n2: machine type "huge" is in no pool');
  });

  test('are refused: pods in two files', async () => {
    const cluster = file('both.json', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [aNode('n1'), aPod('a', 'n1')] }));
    expect(await rejects(cluster, PODS)).toContain('./both.json: has pods, too, and --pods is given');
  });

  test('are refused: an invalid budget', async () => {
    const { err } = await packObjects(aNode('n1'), aPod('a', 'n1'), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { minAvailable: 'some' },
    });
    expect(err).toContain('a PodDisruptionBudget or volume is invalid: spec.minAvailable: expected a count or a percentage');
  });
});
