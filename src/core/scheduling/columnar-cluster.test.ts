import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Feasibility } from '#kube/scheduling/feasibility';
import type { SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import { selectNode } from '#kube/scheduling/select-node';
import { decodeSchedulingPod } from '#embedded-cluster/scheduler/decode-pod';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import { randomCluster } from '../../../test/builders/scheduling/random-cluster.ts';
import { viewOf } from '../../../test/builders/scheduling/view-of.ts';
import { ColumnarCluster } from './columnar-cluster.ts';
import { NONE } from './snapshot-columns.ts';

/** `make soak` draws 20 times as many: 10,000. */
const CLUSTERS = 500;

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });

function pendingOf(seed: number): { readonly view: SchedulingView; readonly pending: readonly SchedulingPod[] } {
  const wire = randomCluster(seed);
  return { view: viewOf(wire), pending: wire.pending.map((pod) => decodeSchedulingPod(pod as unknown as Pod)) };
}

/** Every answer of the object rules for a pod: why no node, or why each node. */
function objectAnswers(pod: SchedulingPod, view: SchedulingView): unknown {
  const feasibility = new Feasibility(pod, view);
  return feasibility.excluded ?? view.nodes.map((node) => [node.name, feasibility.refusalOf(node)]);
}

function columnarAnswers(pod: SchedulingPod, view: SchedulingView, cluster: ColumnarCluster): unknown {
  const ofClass = cluster.classOf(pod);
  return cluster.excludedOf(ofClass) ?? view.nodes.map(({ name }) => [name, cluster.explain(ofClass, cluster.nodeOf(name))]);
}

describe('the columnar cluster', () => {
  test(`answers as the object rules for every pod and node, with the same reasons in the same order`, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { view, pending } = pendingOf(seed);
        const cluster = ColumnarCluster.of(view);
        for (const pod of pending) expect(columnarAnswers(pod, view, cluster)).toEqual(objectAnswers(pod, view));
      }),
      { numRuns: CLUSTERS },
    );
  });

  test('selects the same node by score', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { view, pending } = pendingOf(seed);
        const cluster = ColumnarCluster.of(view);
        for (const pod of pending) {
          const ofClass = cluster.classOf(pod);
          const node = cluster.excludedOf(ofClass) === null ? cluster.snapshot.selectNode(ofClass, cluster.ownerOf(pod)) : NONE;
          const placement = selectNode(pod, view);
          expect(node === NONE ? null : cluster.nodeNameOf(node)).toBe(placement.kind === 'placed' ? placement.node.name : null);
        }
      }),
      { numRuns: CLUSTERS },
    );
  });
});
