import { expect, test } from '@jest/globals';
import { aNodeRecord } from '../../../../test/builders/records.ts';
import { aWorkloadRecord } from '../../../../test/builders/rightsizing.ts';
import type { NodeRecord } from '#kube/records/node';
import type { WorkloadRecord } from '#kube/records/workload';
import { findNodeAutoscaler } from './node-autoscaler.ts';

const taint = { key: 'DeletionCandidateOfClusterAutoscaler', value: '1700000000', effect: 'PreferNoSchedule' } as const;

test.each<[string, Partial<NodeRecord>, Partial<WorkloadRecord>, string | null]>([
  ['a label of Karpenter', { labels: { 'karpenter.sh/nodepool': 'blue' } }, {}, 'Karpenter'],
  ['a taint of the Cluster Autoscaler', { taints: [taint] }, {}, 'Cluster Autoscaler'],
  ['its Deployment', {}, { name: 'aws-cluster-autoscaler' }, 'Cluster Autoscaler'],
  ['its Deployment, scaled to zero', {}, { name: 'cluster-autoscaler', replicas: { desired: 0, current: 0, ready: 0 } }, null],
  ['the proportional autoscaler of a cluster', {}, { name: 'cluster-proportional-autoscaler' }, null],
  ['nothing', {}, {}, null],
])('a node autoscaler is detected by %s', (_case, node, workload, name) => {
  const found = findNodeAutoscaler([aNodeRecord({ name: 'n1', ...node })], [aWorkloadRecord(workload)]);
  expect(found?.name ?? null).toBe(name);
});
