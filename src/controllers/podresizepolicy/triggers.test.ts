import { expect, test } from '@jest/globals';
import type { PodResizePolicy } from '../../apis/v1alpha1/index.ts';
import type { ClusterChange } from '../../ports/cluster/cluster-reader.ts';
import { watchSelections } from './triggers.ts';

test('every policy is enqueued after a namespace or the number of workloads has changed', () => {
  const enqueued: string[] = [];
  let workloads = 3;
  let notify: (change: ClusterChange) => void = () => undefined;
  watchSelections(
    {
      subscribe: (listener) => {
        notify = listener;
        return () => undefined;
      },
      podResizePolicies: () => [{ metadata: { name: 'all' } } as PodResizePolicy],
      totals: () => ({ pods: 0, nodes: 0, workloads }),
    },
    (policy) => enqueued.push(policy),
  );
  const taken = () => enqueued.splice(0);
  notify({ kind: 'workload', key: 'shop/Deployment/web' });
  expect(taken()).toEqual([]);
  workloads = 4;
  notify({ kind: 'workload', key: 'shop/Deployment/cart' });
  expect(taken()).toEqual(['all']);
  notify({ kind: 'pod', key: 'shop/cart-1', workload: null });
  expect(taken()).toEqual([]);
  notify({ kind: 'namespace', key: 'shop' });
  expect(taken()).toEqual(['all']);
});
