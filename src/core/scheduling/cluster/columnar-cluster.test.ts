import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Feasibility } from '#kube/scheduling/feasibility';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import { selectNode } from '#kube/scheduling/select-node';
import { decodeSchedulingPod } from '#embedded-cluster/scheduler/decode-pod';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import { Dice } from '../../../../test/builders/scheduling/dice.ts';
import { ObjectCluster } from '../../../../test/builders/scheduling/object-cluster.ts';
import { randomCluster } from '../../../../test/builders/scheduling/random-cluster.ts';
import { viewOf } from '../../../../test/builders/scheduling/view-of.ts';
import { ColumnarCluster } from './columnar-cluster.ts';
import { copyArrays } from '../columns/shared-arrays.ts';
import { NONE } from '../columns/snapshot-columns.ts';

/** `make soak` draws 20 times as many: 10,000 clusters of answers. */
const CLUSTERS = 500;
const OTHER_CLUSTERS = 150;

/** More than a label of a node's shape may have values. */
const NODES_WITH_NAMES = 70;

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });

interface Case {
  readonly view: SchedulingView;
  readonly pending: readonly SchedulingPod[];
}

function caseOf(seed: number): Case {
  const wire = randomCluster(seed);
  return { view: viewOf(wire), pending: wire.pending.map((pod) => decodeSchedulingPod(pod as unknown as Pod)) };
}

/** Every answer of the object rules for a pod: why no node, or why each node. */
function objectAnswers(pod: SchedulingPod, view: SchedulingView): unknown {
  const feasibility = new Feasibility(pod, view);
  return feasibility.excluded ?? view.nodes.map((node) => [node.name, feasibility.refusalOf(node)]);
}

function columnarAnswers(ofClass: number, view: SchedulingView, cluster: ColumnarCluster): unknown {
  return cluster.excludedOf(ofClass) ?? view.nodes.map(({ name }) => [name, cluster.explain(ofClass, cluster.nodeOf(name))]);
}

function expectSameAnswers(pending: readonly SchedulingPod[], view: SchedulingView, cluster: ColumnarCluster): void {
  for (const pod of pending) expect(columnarAnswers(cluster.classOf(pod), view, cluster)).toEqual(objectAnswers(pod, view));
}

/** Puts a pending pod on a node, or takes a pod from its node, in both clusters. Returns the names of what was done. */
function changePods(dice: Dice, objects: ObjectCluster, pending: readonly SchedulingPod[], apply: (change: PodChange) => void): void {
  const name = dice.pick(objects.names());
  const node = objects.node(name);
  const free = pending.filter((pod) => objects.names().every((other) => !objects.node(other).pods.has(pod.uid)));
  if (free.length > 0 && dice.chance(0.5)) {
    const pod = dice.pick(free);
    node.add(pod);
    apply({ kind: 'place', pod, node: name });
  } else if (node.pods.size > 0) {
    const pod = dice.pick([...node.pods.values()]);
    node.remove(pod);
    apply({ kind: 'remove', pod, node: name });
  }
}

interface PodChange {
  readonly kind: 'place' | 'remove';
  readonly pod: SchedulingPod;
  readonly node: string;
}

/** The node with other labels, taints and amounts. */
function changedNode(dice: Dice, node: SchedulingNode, like: SchedulingNode): SchedulingNode {
  return {
    ...{ name: node.name, labels: dice.chance(0.5) ? like.labels : node.labels, taints: dice.chance(0.5) ? like.taints : node.taints },
    ...{ unschedulable: dice.chance(0.2), allocatable: like.allocatable, declaredFeatures: like.declaredFeatures },
    ...{ pods: node.pods, antiAffinePods: node.antiAffinePods, requested: node.requested },
  };
}

describe('the columnar cluster', () => {
  test('answers as the object rules for every pod and node, with the same reasons in the same order', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { view, pending } = caseOf(seed);
        expectSameAnswers(pending, view, ColumnarCluster.of(view));
      }),
      { numRuns: CLUSTERS },
    );
  });

  test('answers as the object rules where each of many nodes has a label of its own', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { view, pending } = caseOf(seed);
        const nodes = Array.from({ length: NODES_WITH_NAMES }, (_, index): SchedulingNode => {
          const node = view.nodes[index % view.nodes.length]!;
          const name = `node-${index}`;
          const copy = { ...{ name, labels: { ...node.labels, 'kubernetes.io/hostname': name }, taints: node.taints }, pods: new Map() };
          const { unschedulable, allocatable, declaredFeatures } = node;
          return { ...copy, ...{ unschedulable, allocatable, declaredFeatures, antiAffinePods: new Map(), requested: new Map() } };
        });
        const many = { ...view, nodes };
        expectSameAnswers(pending, many, ColumnarCluster.of(many));
      }),
      { numRuns: OTHER_CLUSTERS / 3 },
    );
  });

  test('selects the same node by score', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { view, pending } = caseOf(seed);
        const cluster = ColumnarCluster.of(view);
        for (const pod of pending) {
          const ofClass = cluster.classOf(pod);
          const node = cluster.excludedOf(ofClass) === null ? cluster.snapshot.selectNode(ofClass, cluster.ownerOf(pod)) : NONE;
          const placement = selectNode(pod, view);
          expect(node === NONE ? null : cluster.nodeNameOf(node)).toBe(placement.kind === 'placed' ? placement.node.name : null);
        }
      }),
      { numRuns: OTHER_CLUSTERS },
    );
  });

  test('answers as the object rules after pods and nodes have come, changed and gone', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { view, pending } = caseOf(seed);
        const dice = new Dice(seed);
        const objects = new ObjectCluster(view);
        // The first node alone at first: rules, selectors and labels of the others are new when they come.
        for (const { name } of view.nodes.slice(1)) objects.delete(name);
        const cluster = ColumnarCluster.of(objects.view());
        for (const node of view.nodes.slice(1)) {
          cluster.addNode(node);
          objects.set({ ...node, pods: new Map(), requested: new Map() });
          for (const pod of node.pods.values()) {
            cluster.addPod(pod, node.name);
            objects.node(node.name).add(pod);
          }
        }
        expectSameAnswers(pending, objects.view(), cluster);
        for (let step = 0; step < 6; step++) {
          changePods(dice, objects, pending, (change) => {
            if (change.kind === 'place') cluster.addPod(change.pod, change.node);
            else cluster.removePod(change.pod.uid);
          });
          const name = dice.pick(objects.names());
          if (dice.chance(0.2)) {
            const changed = changedNode(dice, objects.node(name), dice.pick(view.nodes));
            objects.set(changed);
            cluster.updateNode(changed);
          } else if (dice.chance(0.1) && objects.names().length > 1) {
            objects.delete(name);
            cluster.removeNode(name);
          }
        }
        expectSameAnswers(pending, objects.view(), cluster);
      }),
      { numRuns: OTHER_CLUSTERS },
    );
  });

  test('answers as the object rules after changes in a journal, and is byte for byte the same after their rollback', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { view, pending } = caseOf(seed);
        const dice = new Dice(seed);
        const objects = new ObjectCluster(view);
        const cluster = ColumnarCluster.of(view);
        // Slots for the pending pods: placed once, so that their classes exist.
        const [first] = view.nodes;
        for (const pod of pending) {
          cluster.addPod(pod, first?.name ?? '');
          cluster.snapshot.remove(cluster.slotOf(pod.uid));
        }
        const classes = pending.map((pod) => cluster.classOf(pod));
        const { snapshot } = cluster;
        const play = (depth: number): void => {
          const before = copyArrays(snapshot.columns);
          const mark = snapshot.journal.mark();
          const done: PodChange[] = [];
          for (let step = 0; step < 4; step++) {
            changePods(dice, objects, pending, (change) => {
              done.push(change);
              const slot = cluster.slotOf(change.pod.uid);
              if (change.kind === 'place') snapshot.place(slot, cluster.nodeOf(change.node));
              else snapshot.remove(slot);
            });
          }
          for (const [index, pod] of pending.entries()) {
            expect(columnarAnswers(classes[index]!, objects.view(), cluster)).toEqual(objectAnswers(pod, objects.view()));
          }
          if (depth > 0) play(depth - 1);
          snapshot.rollback(mark);
          expect(snapshot.columns).toEqual(before);
          for (const { kind, pod, node } of done.reverse()) {
            if (kind === 'place') objects.node(node).remove(pod);
            else objects.node(node).add(pod);
          }
        };
        play(2);
        expectSameAnswers(pending, objects.view(), cluster);
      }),
      { numRuns: OTHER_CLUSTERS / 2 },
    );
  });

  test('refuses changes while a mark of its journal is set', () => {
    const { view, pending } = caseOf(1);
    const cluster = ColumnarCluster.of(view);
    const [node] = view.nodes;
    const pod: SchedulingPod = { ...pending[0]!, labels: {}, requests: new Map([['cpu', 12_345]]) };
    const mark = cluster.snapshot.journal.mark();
    expect(() => cluster.classOf(pod)).toThrow('classifying a pod of a new class: a mark of the journal is set; roll it back first');
    expect(() => cluster.ownerOf({ ...pod, ownerUid: 'new' })).toThrow('counting pods of a new kind: a mark of the journal is set');
    expect(() => cluster.addPod(pod, node!.name)).toThrow(`adding pod ${pod.uid}: a mark`);
    expect(() => cluster.removeNode(node!.name)).toThrow(`removing node ${node!.name}: a mark`);
    cluster.snapshot.rollback(mark);
    expect(() => cluster.classOf(pod)).not.toThrow();
  });

  test('names a node or pod that it does not have', () => {
    const cluster = ColumnarCluster.of(caseOf(1).view);
    expect(() => cluster.nodeOf('gone')).toThrow('no node gone in the columnar cluster');
    expect(() => cluster.removePod('gone')).toThrow('no pod gone in the columnar cluster');
  });
});
