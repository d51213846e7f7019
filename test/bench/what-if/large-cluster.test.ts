import { describe, expect, test } from '@jest/globals';
import { compareQueued } from '#kube/scheduling/queue-order';
import { selectNode } from '#kube/scheduling/select-node';
import { ColumnarCluster } from '../../../src/core/scheduling/cluster/columnar-cluster.ts';
import { NodeRemovals } from '../../../src/core/scheduling/removals/node-removals.ts';
import { MOVES, NO_ROOM } from '../../../src/core/scheduling/removals/removal-columns.ts';
import { NONE } from '../../../src/core/scheduling/columns/snapshot-columns.ts';
import { ObjectCluster } from '../../builders/scheduling/object-cluster.ts';
import { largeCluster } from './large-cluster.ts';

const NODES = 150;
const PODS = 4_500;
const WORKLOADS = 600;
/** Nodes that are compared with the object rules, which take long. */
const COMPARED = [0, 75, 90];

describe('the cluster of the what-if benchmark', () => {
  const { view, treatmentOf, budgets } = largeCluster(NODES, PODS, WORKLOADS, 1);
  const cluster = ColumnarCluster.of(view, treatmentOf);
  for (const [budget, allowed] of budgets.entries()) cluster.setAllowedEvictions(budget, allowed);
  const removals = new NodeRemovals(cluster.snapshot);
  removals.computeAll();
  const { outcome, destination } = removals.result;

  test('has removals that are possible and others that are not', () => {
    const possible = view.nodes.filter(({ name }) => removals.result.blockers[cluster.nodeOf(name)] === 0);
    expect(possible.length).toBeGreaterThan(5);
    expect(NODES - possible.length).toBeGreaterThan(20);
  });

  test('has the same destinations by the ranking of nodes and by a look at every node', () => {
    const { snapshot } = cluster;
    const { pods } = snapshot.columns;
    let moved = 0;
    for (const { name } of view.nodes) {
      const node = cluster.nodeOf(name);
      const slots = cluster.podsOn(node).map(({ uid }) => cluster.slotOf(uid));
      const mark = snapshot.journal.mark();
      for (const slot of slots) snapshot.remove(slot);
      snapshot.setPresent(node, 0);
      for (const slot of slots) {
        if (outcome[slot] !== MOVES && outcome[slot] !== NO_ROOM) continue;
        const best = snapshot.selectNode(pods.class[slot]!, pods.owner[slot]!);
        expect([name, slot, destination[slot]]).toEqual([name, slot, best]);
        if (best !== NONE) snapshot.place(slot, best);
        moved++;
      }
      snapshot.rollback(mark);
    }
    expect(moved).toBeGreaterThan(2_000);
  });

  test.each(COMPARED)('has the same destinations for the pods of node %i by the object rules', (index) => {
    const node = view.nodes[index]!;
    const objects = new ObjectCluster(view);
    for (const pod of [...node.pods.values()].sort(compareQueued)) {
      const slot = cluster.slotOf(pod.uid);
      if (outcome[slot] !== MOVES && outcome[slot] !== NO_ROOM) continue;
      const own = { ...pod, nodeName: null, mayPreempt: false };
      const placement = selectNode(own, objects.view(node.name));
      const to = destination[slot]!;
      expect([pod.name, to === NONE ? null : cluster.nodeNameOf(to)]).toEqual([
        pod.name,
        placement.kind === 'placed' ? placement.node.name : null,
      ]);
      if (placement.kind === 'placed') objects.node(placement.node.name).add(own);
    }
  });
});
