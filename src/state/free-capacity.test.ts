import { describe, expect, test } from '@jest/globals';
import { aContainer, amounts, aPodRecord, memory, T0 } from '../../test/builders/rightsizing.ts';
import { FakeClusterReader } from '../../test/fakes/fake-cluster-reader.ts';
import type { NodeRecord } from '#kube/records/node';
import type { Placement, WorkloadRecord } from '#kube/records/workload';
import { MINUTE_MS } from '#kube/units';
import { FreeCapacity } from './free-capacity.ts';

function aNode(name: string, cpuMillicores: number, node: Partial<NodeRecord> = {}): NodeRecord {
  return { name, allocatable: { cpuMillicores, memoryBytes: memory('8Gi') }, labels: {}, taints: [], ...node } as NodeRecord;
}

/** A common node, a large one for batches alone, a larger one for GPUs alone; on each a DaemonSet's pod of 200m and 1Gi. */
function aCluster(): FakeClusterReader {
  const cluster = new FakeClusterReader();
  cluster.nodeList = [
    aNode('common', 4000, { taints: [{ key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' }] }),
    aNode('batch', 8000, { labels: { pool: 'batch' }, taints: [{ key: 'batch', value: 'yes', effect: 'NoSchedule' }] }),
    aNode('gpu', 16_000, { labels: { pool: 'gpu' }, taints: [{ key: 'gpu', value: 'yes', effect: 'NoExecute' }] }),
  ];
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'd' };
  const containers = [aContainer({ requests: amounts('200m', '1Gi') })];
  cluster.podList = [
    ...cluster.nodeList.map(({ name }) => aPodRecord({ name: `agent-${name}`, node: name, owner, containers })),
    aPodRecord({ name: 'web', node: 'common' }),
  ];
  return cluster;
}

const toleratesBatch = { key: 'batch', operator: 'Equal', value: 'yes', effect: 'NoSchedule' } as const;
const toleratesAll = { key: null, operator: 'Exists', value: '', effect: null } as const;

describe('the room that one pod can have', () => {
  test.each<[string, Pick<WorkloadRecord, 'kind' | 'placement'>, number | null]>([
    ['taints keep it off the larger nodes; a cordon is for a while', { kind: 'Deployment' }, 3800],
    ['one that tolerates a taint', { kind: 'Deployment', placement: { nodeSelector: {}, tolerations: [toleratesBatch] } }, 7800],
    ['one that tolerates everything', { kind: 'Deployment', placement: { nodeSelector: {}, tolerations: [toleratesAll] } }, 15_800],
    ['one that selects a pool', { kind: 'Deployment', placement: { nodeSelector: { pool: 'batch' }, tolerations: [toleratesAll] } }, 7800],
    ['one that no node takes', { kind: 'Deployment', placement: { nodeSelector: { pool: 'none' }, tolerations: [] } }, null],
    ['a DaemonSet has the whole node', { kind: 'DaemonSet' }, 4000],
  ])('%s', (_, workload, expected) => {
    expect(new FreeCapacity(aCluster()).forPodOf(workload, T0)?.cpuMillicores ?? null).toBe(expected);
  });

  test('is looked for once for each taint that nodes have, not for each node', () => {
    let looks = 0;
    const toleration = {
      ...toleratesBatch,
      get effect() {
        looks += 1;
        return toleratesBatch.effect;
      },
    };
    const cluster = aCluster();
    const taints = [{ key: 'batch', value: 'no', effect: 'NoSchedule' }] as const;
    cluster.nodeList = Array.from({ length: 5_000 }, (_, index) => aNode(`n${index}`, 4000, { taints: [...taints] }));
    const tolerations = Array.from({ length: 256 }, () => toleration);
    expect(new FreeCapacity(cluster).forPodOf({ kind: 'Deployment', placement: { nodeSelector: {}, tolerations } }, T0)).toBeNull();
    // Read once more for the key of what was found.
    expect(looks).toBeLessThanOrEqual(3 * 256);
  });

  test.each<[string, Placement]>([
    ['tolerations', { nodeSelector: {}, tolerations: Array.from({ length: 257 }, () => toleratesAll) }],
    ['labels', { nodeSelector: Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`l${at}`, ''])), tolerations: [] }],
  ])('is not looked for with more than 256 %s in a template', (_, placement) => {
    const cluster = aCluster();
    const labels = placement.nodeSelector;
    cluster.nodeList = [aNode('n', 4000, { labels })];
    expect(new FreeCapacity(cluster).forPodOf({ kind: 'Deployment', placement }, T0)).toBeNull();
  });

  test('is looked for once for all workloads that go to the same nodes, and anew when nodes were counted anew', () => {
    const cluster = aCluster();
    let looks = 0;
    cluster.nodeList = cluster.nodeList.map((node) => ({
      ...node,
      get taints() {
        looks += 1;
        return node.taints;
      },
    }));
    const room = new FreeCapacity(cluster);
    const of = (workload: Pick<WorkloadRecord, 'kind' | 'placement'>, at = T0) => room.forPodOf(workload, at)?.cpuMillicores ?? null;
    const nowhere = { kind: 'Deployment', placement: { nodeSelector: { pool: 'none' }, tolerations: [] } } as const;
    expect([of({ kind: 'Deployment' }), of({ kind: 'DaemonSet' }), of(nowhere)]).toEqual([3800, 4000, null]);
    const once = looks;
    expect([of({ kind: 'StatefulSet' }), of({ kind: 'DaemonSet' }), of(nowhere)]).toEqual([3800, 4000, null]);
    expect(looks).toBe(once);
    cluster.nodeList = [...cluster.nodeList, aNode('new', 6000)];
    expect(of({ kind: 'Deployment' }, T0 + MINUTE_MS)).toBe(6000);
  });
});
