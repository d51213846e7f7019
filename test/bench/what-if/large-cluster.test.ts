import { describe, expect, test } from '@jest/globals';
import type { PodTerm } from '#kube/pod-spec/affinity';
import type { SpreadConstraint } from '#kube/pod-spec/spread-constraint';
import type { NodeDraft } from '#kube/scheduling/node-draft';
import { compareQueued } from '#kube/scheduling/queue-order';
import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import { selectNode } from '#kube/scheduling/select-node';
import { ColumnarCluster } from '../../../src/core/scheduling/cluster/columnar-cluster.ts';
import { NodeRemovals } from '../../../src/core/scheduling/removals/node-removals.ts';
import { MOVES, newRemovals, NO_ROOM } from '../../../src/core/scheduling/removals/removal-columns.ts';
import { NONE } from '../../../src/core/scheduling/columns/snapshot-columns.ts';
import { ObjectCluster } from '../../builders/scheduling/object-cluster.ts';
import { largeCluster } from './large-cluster.ts';

const NODES = 150;
const PODS = 4_500;
const WORKLOADS = 600;
/** Nodes that are compared with the object rules, which take long. */
const COMPARED = [0, 75, 90];

const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

type Rules = Partial<
  Pick<SchedulingPod, 'affinity' | 'antiAffinity' | 'ownerUid' | 'preferredAffinity' | 'preferredAntiAffinity' | 'spread'>
>;

interface OnEachNode {
  readonly app: string;
  readonly rules: Rules;
  /** Whether a node has a pod, by its index. */
  readonly isOn: (index: number) => boolean;
}

function termOf(topologyKey: string, app: string): PodTerm {
  return { topologyKey, selector: { matchLabels: { app } }, namespaces: [], namespaceSelector: null };
}

function spreadOf(app: string): SpreadConstraint {
  const selector = { matchLabels: { app } };
  return { topologyKey: HOSTNAME, hard: true, maxSkew: 1, selector, minDomains: 1, honorAffinity: true, honorTaints: false };
}

/** Deployments with pods on nearly each node, whose next pod finds few others. */
const ON_EACH_NODE: readonly OnEachNode[] = [
  { app: 'apart', rules: { antiAffinity: [termOf(HOSTNAME, 'apart')] }, isOn: (index) => index % 40 !== 0 },
  {
    app: 'rather',
    rules: { preferredAntiAffinity: [{ weight: 100, term: termOf(HOSTNAME, 'rather') }] },
    isOn: (index) => index % 40 !== 1,
  },
  {
    // The sum of weights is cut off at 100, so that the anti-affinity makes no difference.
    app: 'indifferent',
    rules: {
      ownerUid: null,
      preferredAffinity: [ZONE, 'kubernetes.io/os'].map((key) => ({ weight: 100, term: termOf(key, 'apart') })),
      preferredAntiAffinity: [{ weight: 50, term: termOf(HOSTNAME, 'indifferent') }],
    },
    isOn: (index) => index % 40 !== 2,
  },
  { app: 'spread', rules: { spread: [spreadOf('spread')] }, isOn: (index) => index % 40 !== 3 },
  // Two pods on each node but one. Without that one the minimum is 2, and the others have room again.
  { app: 'even', rules: { spread: [spreadOf('even')] }, isOn: () => true },
  { app: 'even', rules: {}, isOn: (index) => index !== 71 },
  // A guard goes to one of the nodes without a guarded pod, which is open to guarded pods in other questions.
  { app: 'guard', rules: { antiAffinity: [termOf(HOSTNAME, 'guarded')] }, isOn: (index) => index % 2 === 1 },
  { app: 'guarded', rules: {}, isOn: (index) => index % 3 !== 0 },
  { app: 'beside', rules: { affinity: [termOf(HOSTNAME, 'apart')] }, isOn: () => true },
  { app: 'any', rules: {}, isOn: (index) => index % 40 !== 4 },
];

function addOnEachNode(nodes: readonly NodeDraft[]): void {
  const some = nodes.flatMap(({ pods }) => [...pods.values()]).find(({ ownerUid }) => ownerUid?.startsWith('rs-') === true)!;
  const none: Rules = { affinity: [], antiAffinity: [], preferredAffinity: [], preferredAntiAffinity: [], spread: [] };
  for (const [kind, { app, rules, isOn }] of ON_EACH_NODE.entries()) {
    for (const [index, node] of nodes.entries()) {
      if (!isOn(index)) continue;
      const name = `${kind}-${app}-${node.name}`;
      node.add({
        ...{ ...some, ...none, ownerUid: app, ...rules, uid: name, name, labels: { app }, nodeSelector: {}, claims: [] },
        requests: new Map([['cpu', 10]]),
      });
    }
  }
}

describe('the cluster of the what-if benchmark', () => {
  const { view, drafts, treatmentOf, budgets } = largeCluster(NODES, PODS, WORKLOADS, 1);
  addOnEachNode(drafts);
  const cluster = ColumnarCluster.of(view, treatmentOf);
  for (const [budget, allowed] of budgets.entries()) cluster.setAllowedEvictions(budget, allowed);
  const removals = new NodeRemovals(cluster.snapshot);
  removals.computeAll();
  const { outcome, destination } = removals.result;
  const isScheduled = (slot: number): boolean => outcome[slot] === MOVES || outcome[slot] === NO_ROOM;

  test('has removals that are possible and others that are not', () => {
    const possible = view.nodes.filter(({ name }) => removals.result.blockers[cluster.nodeOf(name)] === 0);
    expect(possible.length).toBeGreaterThan(3);
    expect(NODES - possible.length).toBeGreaterThan(20);
  });

  test('has the same destinations by a look at every node', () => {
    const { snapshot } = cluster;
    const { pods } = snapshot.columns;
    let moved = 0;
    for (const { name } of view.nodes) {
      const node = cluster.nodeOf(name);
      const slots = cluster.podsOn(node).map(({ uid }) => cluster.slotOf(uid));
      const mark = snapshot.journal.mark();
      for (const slot of slots) snapshot.remove(slot);
      snapshot.setPresent(node, 0);
      for (const slot of slots.filter(isScheduled)) {
        const best = snapshot.selectNode(pods.class[slot]!, pods.owner[slot]!);
        expect([name, slot, destination[slot]]).toEqual([name, slot, best]);
        if (best !== NONE) snapshot.place(slot, best);
        moved++;
      }
      snapshot.rollback(mark);
    }
    expect(moved).toBeGreaterThan(2_000);
  });

  test('has the same destinations with rankings that never suffice', () => {
    const other = new NodeRemovals(cluster.snapshot, newRemovals(), { short: 1, longer: 2, ownLists: 10_000 });
    other.computeAll();
    expect(other.result.outcome).toEqual(outcome);
    for (const { uid } of view.nodes.flatMap(({ pods }) => [...pods.values()])) {
      const slot = cluster.slotOf(uid);
      if (isScheduled(slot)) expect([uid, other.result.destination[slot]]).toEqual([uid, destination[slot]]);
    }
  });

  test.each(COMPARED)('has the same destinations for the pods of node %i by the object rules', (index) => {
    const node = view.nodes[index]!;
    const objects = new ObjectCluster(view);
    for (const pod of [...node.pods.values()].sort(compareQueued)) {
      const slot = cluster.slotOf(pod.uid);
      if (!isScheduled(slot)) continue;
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
