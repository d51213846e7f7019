import { describe, expect, test } from '@jest/globals';
import { aNode, aPod, type Json, listOf, ZONE_SPREAD } from '../../../../test/builders/cluster-objects.ts';
import { packExisting } from '../../../../test/builders/pack-files.ts';

const ZONE = 'topology.kubernetes.io/zone';
const POOLS = 'machine_type,vcpu,memory_gib,usd_per_hour,zone\nlarge,8,32,0.4,a\nlarge,8,32,0.4,b\nsmall,2,4,0.1,a\nsmall,2,4,0.1,b\n';

const objects = (name: string, ...items: readonly Json[]): { name: string; text: string } => ({
  name: `${name}.json`,
  text: listOf(...items),
});
const inZone = (name: string, zone: string): Json => aNode(name, { labels: { [ZONE]: zone } });

describe('pods in a file beside that of their nodes', () => {
  const pods = objects('pods', aPod('p', 'n1'), aPod('q', 'n2'));

  test('are packed with the DaemonSets of both files, each once', () => {
    const agent = {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace: 'shop' } },
      spec: { template: { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '700m' } } }] } } },
    };
    const nodes = [inZone('n1', 'a'), inZone('n2', 'a')];
    expect(packExisting({ nodes: objects('nodes', ...nodes), pods, pools: POOLS }).usdPerHour).toBeCloseTo(0.1, 9);
    const nodesWithAgent = objects('nodes', ...nodes, agent);
    expect(packExisting({ nodes: nodesWithAgent, pods, pools: POOLS }).usdPerHour).toBeCloseTo(0.2, 9);
    const podsWithAgent = objects('pods', aPod('p', 'n1'), aPod('q', 'n2'), agent);
    expect(packExisting({ nodes: nodesWithAgent, pods: podsWithAgent, pools: POOLS }).usdPerHour).toBeCloseTo(0.2, 9);
  });

  test('have the priority of a PriorityClass in the file of the nodes', () => {
    const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 };
    const pools = 'machine_type,vcpu,memory_gib,usd_per_hour,max\nlarge,8,32,0.4,5\n';
    const ranked = objects('pods', aPod('p', 'n1', { spec: { priorityClassName: 'high' } }));
    const { problems, input } = packExisting({ nodes: objects('nodes', aNode('n1'), high), pods: ranked, pools });
    expect(problems).toEqual([]);
    expect(input?.pods.map(({ priority }) => priority)).toEqual([1000]);
  });

  test.each([
    ['objects', objects('nodes', inZone('n1', 'a'), inZone('n2', 'b'))],
    ['CSV', { name: 'nodes.csv', text: 'node,machine_type,zone\nn1,large,a\nn2,large,b\n' }],
  ])('keep the zone of their node, from %s', (_, nodes) => {
    const spec = ZONE_SPREAD;
    const { problems, pods: rows } = packExisting({
      nodes,
      pods: objects('pods', aPod('p', 'n1', { spec }), aPod('q', 'n2', { spec })),
      pools: POOLS,
    });
    expect(problems).toEqual([]);
    expect(Object.fromEntries(rows.map(({ pod, node }) => [pod, node]))).toEqual({ 'shop/p': 'small-a-1', 'shop/q': 'small-b-1' });
  });
});

describe('a pod that is being deleted', () => {
  const DELETED = { deletionTimestamp: '2026-11-01T00:00:00Z' };
  const KEPT = { ownerReferences: [] };

  test('has no note about DaemonSets', () => {
    const nodes = objects('cluster', inZone('n1', 'a'), aPod('p', 'n1', { metadata: DELETED }), aPod('q', 'n1'));
    expect(packExisting({ nodes, pools: POOLS }).input?.notes).toEqual([]);
  });

  test('keeps others of its anti-affinity off a node that stays', () => {
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };
    const spec = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    const kept = aPod('kept', 'n1', { metadata: { ...KEPT, labels: { app: 'other' } } });
    const items = [inZone('n1', 'a'), inZone('n2', 'a'), kept, aPod('p', 'n1', { metadata: DELETED, spec }), aPod('q', 'n2', { spec })];
    const { pods } = packExisting({ nodes: objects('cluster', ...items), pools: POOLS });
    expect(pods.map(({ pod, node }) => [pod, node])).toEqual([
      ['shop/kept', 'n1'],
      ['shop/q', 'small-a-1'],
    ]);
  });
});

describe('a pod that stays during a resize', () => {
  const resized = (allocated: string, conditions: readonly Json[] = []): Json =>
    aPod('kept', 'n1', {
      metadata: { ownerReferences: [] },
      status: { conditions, containerStatuses: [{ name: 'main', allocatedResources: { cpu: allocated, memory: '1Gi' } }] },
    });
  const left = (pod: Json): number | undefined =>
    packExisting({ nodes: objects('cluster', inZone('n1', 'a'), pod), pools: POOLS }).input?.existing?.shapes[0]?.cpuMillicores;

  test.each([
    ['the larger one while it shrinks', resized('3'), 5000],
    ['the larger one while it grows', resized('500m'), 7000],
    ['what is allocated where the node never grants more', resized('500m', [{ type: 'PodResizePending', reason: 'Infeasible' }]), 7500],
  ])('takes of its node %s', (_, pod, expected) => {
    expect(left(pod)).toBe(expected);
  });
});

describe('many problems', () => {
  const COUNT = 150_000;
  const container = { name: 'main', resources: { requests: { cpu: '1m' } } };
  const web = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
    spec: { replicas: COUNT, template: { spec: { containers: [container] } } },
  };

  test.each([
    ['a pods file', { name: 'pods.csv', text: `name,cpu_milli,memory_mib,node\n${'x,y,1,n1\n'.repeat(COUNT)}` }],
    ['a file of manifests', { name: 'pods.json', text: listOf(web, web) }],
  ])('of %s are counted, and the first twenty printed', (_, pods) => {
    const { problems } = packExisting({ nodes: { name: 'nodes.csv', text: 'node,machine_type,zone\nn1,large,a\n' }, pods, pools: POOLS });
    expect(problems).toHaveLength(21);
    expect(problems[20]).toMatch(/^and \d{5,} more problems$/);
  });
});
