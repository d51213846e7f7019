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

/** A node without taints, a larger one for batch and an even larger one for GPUs, each with a DaemonSet pod of 200m and 1Gi. */
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

describe('the free capacity for one pod', () => {
  test.each<[string, Pick<WorkloadRecord, 'kind' | 'placement'>, number | null]>([
    ['excludes nodes with taints, but not cordoned ones', { kind: 'Deployment' }, 3800],
    [
      'includes nodes whose taint the pod tolerates',
      { kind: 'Deployment', placement: { nodeSelector: {}, tolerations: [toleratesBatch] } },
      7800,
    ],
    [
      'includes all nodes for a pod that tolerates everything',
      { kind: 'Deployment', placement: { nodeSelector: {}, tolerations: [toleratesAll] } },
      15_800,
    ],
    [
      'includes the nodes that the pod selects',
      { kind: 'Deployment', placement: { nodeSelector: { pool: 'batch' }, tolerations: [toleratesAll] } },
      7800,
    ],
    ['is null if no node matches', { kind: 'Deployment', placement: { nodeSelector: { pool: 'none' }, tolerations: [] } }, null],
    ['is the entire node for a DaemonSet', { kind: 'DaemonSet' }, 4000],
  ])('%s', (_, workload, expected) => {
    expect(new FreeCapacity(aCluster()).findForPod(workload, T0)?.cpuMillicores ?? null).toBe(expected);
  });

  test('is computed once for each distinct taint, not for each node', () => {
    let reads = 0;
    const toleration = {
      ...toleratesBatch,
      get effect() {
        reads += 1;
        return toleratesBatch.effect;
      },
    };
    const cluster = aCluster();
    const taints = [{ key: 'batch', value: 'no', effect: 'NoSchedule' }] as const;
    cluster.nodeList = Array.from({ length: 5_000 }, (_, index) => aNode(`n${index}`, 4000, { taints: [...taints] }));
    const tolerations = Array.from({ length: 256 }, () => toleration);
    expect(new FreeCapacity(cluster).findForPod({ kind: 'Deployment', placement: { nodeSelector: {}, tolerations } }, T0)).toBeNull();
    // Read once more for the key of the result.
    expect(reads).toBeLessThanOrEqual(3 * 256);
  });

  test.each<[string, Placement]>([
    ['tolerations', { nodeSelector: {}, tolerations: Array.from({ length: 257 }, () => toleratesAll) }],
    ['labels', { nodeSelector: Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`l${at}`, ''])), tolerations: [] }],
  ])('is not computed with more than 256 %s in a template', (_, placement) => {
    const cluster = aCluster();
    const labels = placement.nodeSelector;
    cluster.nodeList = [aNode('n', 4000, { labels })];
    expect(new FreeCapacity(cluster).findForPod({ kind: 'Deployment', placement }, T0)).toBeNull();
  });

  test('is computed once for all workloads with the same placement until the next recount', () => {
    const cluster = aCluster();
    let reads = 0;
    cluster.nodeList = cluster.nodeList.map((node) => ({
      ...node,
      get taints() {
        reads += 1;
        return node.taints;
      },
    }));
    const capacity = new FreeCapacity(cluster);
    const of = (workload: Pick<WorkloadRecord, 'kind' | 'placement'>, at = T0) => capacity.findForPod(workload, at)?.cpuMillicores ?? null;
    const nowhere = { kind: 'Deployment', placement: { nodeSelector: { pool: 'none' }, tolerations: [] } } as const;
    expect([of({ kind: 'Deployment' }), of({ kind: 'DaemonSet' }), of(nowhere)]).toEqual([3800, 4000, null]);
    const once = reads;
    expect([of({ kind: 'StatefulSet' }), of({ kind: 'DaemonSet' }), of(nowhere)]).toEqual([3800, 4000, null]);
    expect(reads).toBe(once);
    cluster.nodeList = [...cluster.nodeList, aNode('new', 6000)];
    expect(of({ kind: 'Deployment' }, T0 + MINUTE_MS)).toBe(6000);
  });
});
