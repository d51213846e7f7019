import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Feasibility } from '#kube/scheduling/feasibility';
import type { Weighted } from '#kube/pod-spec/affinity';
import { compareQueued } from '#kube/scheduling/queue-order';
import type { SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import { explainRefusals, filterNodes, selectNode } from '#kube/scheduling/select-node';
import { Dice } from '../../../../test/builders/scheduling/dice.ts';
import { ObjectCluster } from '../../../../test/builders/scheduling/object-cluster.ts';
import { randomCluster } from '../../../../test/builders/scheduling/random-cluster.ts';
import { viewOf } from '../../../../test/builders/scheduling/view-of.ts';
import { ColumnarCluster } from '../cluster/columnar-cluster.ts';
import type { PodTreatment } from '../cluster/pod-treatment.ts';
import { NodeRemovals } from './node-removals.ts';
import { whatIfRemoved } from './what-if-removed.ts';
import { newRemovals, POD_OUTCOMES } from './removal-columns.ts';
import { NONE } from '../columns/snapshot-columns.ts';

const CLUSTERS = 200;
const ALLOWED = [0, 1];
/** Fewer than most clusters have nodes, so that rankings do not suffice. */
const LENGTHS = { short: 1, longer: 2, ownLists: 10_000 };

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });

type PodAnswer = readonly [pod: string, outcome: string, destination: string | null, detail?: string | null];
type Answers = Readonly<Record<string, readonly PodAnswer[]>>;
type TreatmentOf = (pod: SchedulingPod) => PodTreatment;

/** Owners and preferred terms for half of the pods, so that every part of the score counts. */
function withPreferences(view: SchedulingView, dice: Dice): SchedulingView {
  const objects = new ObjectCluster(view);
  const all = view.nodes.flatMap(({ pods }) => [...pods.values()]);
  const podTerms = all.flatMap(({ affinity, antiAffinity }) => [...affinity, ...antiAffinity]);
  const nodeTerms = all.flatMap((pod) => pod.nodeTerms ?? []);
  const weighted = <T>(terms: readonly T[]): Weighted<T>[] =>
    dice.some(terms, 0.2).map((term) => ({ weight: dice.pick([1, 50, 100]), term }));
  for (const { name, pods } of view.nodes) {
    for (const pod of pods.values()) {
      if (!dice.chance(0.5)) continue;
      objects.node(name).remove(pod);
      objects.node(name).add({
        ...{ ...pod, ownerUid: `owner-${dice.below(3)}`, preferredNodeTerms: weighted(nodeTerms) },
        ...{ preferredAffinity: weighted(podTerms), preferredAntiAffinity: weighted(podTerms) },
      });
    }
  }
  return objects.view();
}

function randomTreatments(view: SchedulingView, dice: Dice): TreatmentOf {
  const treatments = new Map<string, PodTreatment>();
  for (const { pods } of view.nodes) {
    for (const { uid } of pods.values()) {
      const role = dice.chance(0.7) ? 'movable' : dice.pick(['unowned', 'protected', 'daemonSet', 'mirror'] as const);
      treatments.set(uid, { role, budgets: dice.chance(0.8) ? [] : dice.some([0, 1], 0.6) });
    }
  }
  return ({ uid }) => treatments.get(uid)!;
}

function columnarOf(view: SchedulingView, treatmentOf: TreatmentOf): ColumnarCluster {
  const cluster = ColumnarCluster.of(view, treatmentOf);
  for (const [budget, allowed] of ALLOWED.entries()) cluster.setAllowedEvictions(budget, allowed);
  return cluster;
}

/** What the object rules say of every node: the pods of a copy without the node, placed one by one. */
function objectAnswers(view: SchedulingView, treatmentOf: TreatmentOf, withDetails = false): Answers {
  return Object.fromEntries(
    view.nodes.map(({ name, pods }) => {
      const objects = new ObjectCluster(view);
      const answer = (pod: SchedulingPod, outcome: string, to: string | null, detail: string | null): PodAnswer =>
        withDetails ? [pod.name, outcome, to, detail] : [pod.name, outcome, to];
      const place = (pod: SchedulingPod): PodAnswer => {
        const own = { ...pod, nodeName: null, mayPreempt: false };
        const obstacle = obstacleOf(own, treatmentOf(pod), view);
        const rest = objects.view(name);
        if (obstacle !== null) return answer(pod, obstacle, null, detailOf(own, obstacle, rest));
        const placement = selectNode(own, rest);
        if (placement.kind === 'placed') {
          objects.node(placement.node.name).add(own);
          return answer(pod, 'moves', placement.node.name, null);
        }
        const outcome = filterNodes(new Feasibility(own, rest), rest);
        return answer(pod, 'fits on no other node', null, explainRefusals(rest.nodes.length, outcome));
      };
      return [name, [...pods.values()].sort(compareQueued).map(place)];
    }),
  );
}

function obstacleOf(pod: SchedulingPod, { role, budgets }: PodTreatment, view: SchedulingView): string | null {
  if (role === 'daemonSet' || role === 'mirror' || (role === 'movable' && pod.terminating)) return 'goes with the node';
  if (role === 'unowned') return 'has no controller';
  if (role === 'protected') return 'is protected';
  if (budgets.length > 1) return 'has several budgets';
  if (budgets.some((budget) => ALLOWED[budget] === 0)) return 'its budget allows no eviction';
  if (pod.unmodelled.length > 0 || pod.claims.some(({ ephemeral }) => ephemeral)) return 'is not modelled';
  return new Feasibility(pod, { ...view, nodes: [] }).excluded === null ? null : 'fits on no node by its own rules';
}

function detailOf(pod: SchedulingPod, obstacle: string, view: SchedulingView): string | null {
  if (obstacle === 'fits on no node by its own rules') return new Feasibility(pod, view).excluded;
  if (obstacle !== 'is not modelled') return null;
  return pod.unmodelled[0] ?? 'an ephemeral volume, whose next claim is unknown';
}

function columnarAnswers(cluster: ColumnarCluster, removals: NodeRemovals, names: readonly string[]): Answers {
  const { destination, outcome } = removals.result;
  return Object.fromEntries(
    names.map((name) => [
      name,
      cluster.podsOn(cluster.nodeOf(name)).map((pod) => {
        const slot = cluster.slotOf(pod.uid);
        const to = destination[slot]!;
        return [pod.name, POD_OUTCOMES[outcome[slot]!]!, to === NONE ? null : cluster.nodeNameOf(to)] as const;
      }),
    ]),
  );
}

describe('the removal of each node', () => {
  test('moves its pods where the object rules place them one by one, or is blocked for the same reason', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(seeds, (seed) => {
        const dice = new Dice(seed);
        const view = withPreferences(viewOf(randomCluster(seed)), dice);
        const treatmentOf = randomTreatments(view, dice);
        const cluster = columnarOf(view, treatmentOf);
        const removals = new NodeRemovals(cluster.snapshot, newRemovals(), LENGTHS);
        removals.computeAll();
        const names = view.nodes.map(({ name }) => name);
        const answers = columnarAnswers(cluster, removals, names);
        expect(answers).toEqual(objectAnswers(view, treatmentOf));
        for (const name of names) {
          const blocking = answers[name]!.filter(([, outcome]) => outcome !== 'moves' && outcome !== 'goes with the node');
          expect(removals.result.blockers[cluster.nodeOf(name)]).toBe(blocking.length);
          for (const [, outcome] of answers[name]!) seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
      }),
      { numRuns: CLUSTERS },
    );
    // Each outcome has been compared.
    for (const outcome of POD_OUTCOMES) expect([outcome, (seen.get(outcome) ?? 0) > 0]).toEqual([outcome, true]);
  });

  test('is explained pod by pod, with the scheduler’s message where a pod fits nowhere', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const dice = new Dice(seed);
        const view = withPreferences(viewOf(randomCluster(seed)), dice);
        const treatmentOf = randomTreatments(view, dice);
        const cluster = columnarOf(view, treatmentOf);
        const expected = objectAnswers(view, treatmentOf, true);
        for (const { name } of view.nodes) {
          const { pods, isPossible, savedPerHourUsd } = whatIfRemoved(cluster, name, 0.5);
          expect(pods.map(({ pod, outcome, destination, detail }) => [pod.name, outcome, destination, detail])).toEqual(expected[name]);
          expect(isPossible).toBe(expected[name]!.every(([, outcome]) => outcome === 'moves' || outcome === 'goes with the node'));
          expect(savedPerHourUsd).toBe(isPossible ? 0.5 : 0);
        }
      }),
    );
  });

  test('is computed again after changes only where it may differ, and is then the same everywhere as computed from the start', () => {
    let kept = 0;
    fc.assert(
      fc.property(seeds, (seed) => {
        const dice = new Dice(seed);
        const view = withPreferences(viewOf(randomCluster(seed)), dice);
        const treatmentOf = randomTreatments(view, dice);
        const cluster = columnarOf(view, treatmentOf);
        const { result } = new NodeRemovals(cluster.snapshot, newRemovals(), LENGTHS);
        const names = view.nodes.map(({ name }) => name);
        cluster.takeChanges();
        new NodeRemovals(cluster.snapshot, result, LENGTHS).computeAll();
        for (let round = 0; round < 4; round++) {
          const pods = names.flatMap((name) => cluster.podsOn(cluster.nodeOf(name)).map((pod) => ({ name, pod })));
          if (dice.chance(0.2)) cluster.setAllowedEvictions(0, dice.below(2));
          if (pods.length > 0 && dice.chance(0.8)) {
            const { name, pod } = dice.pick(pods);
            cluster.removePod(pod.uid);
            // Back on another node, or a copy on its own, or gone.
            if (dice.chance(0.4)) cluster.addPod(pod, dice.pick(names), treatmentOf(pod));
            else if (dice.chance(0.3)) cluster.addPod({ ...pod, uid: `${pod.uid}-${round}` }, name, treatmentOf(pod));
          }
          if (dice.chance(0.1)) {
            const name = dice.pick(names);
            const changed = dice.pick(view.nodes);
            cluster.updateNode({ ...changed, name, labels: { ...changed.labels, 'kubernetes.io/hostname': name } });
          }
          const updated = new NodeRemovals(cluster.snapshot, result, LENGTHS);
          kept += names.length - updated.update(cluster.takeChanges());
          const fresh = new NodeRemovals(cluster.snapshot, newRemovals(), LENGTHS);
          fresh.computeAll();
          expect(columnarAnswers(cluster, updated, names)).toEqual(columnarAnswers(cluster, fresh, names));
          for (const name of names) {
            const node = cluster.nodeOf(name);
            expect(updated.result.blockers[node]).toBe(fresh.result.blockers[node]);
          }
        }
      }),
      { numRuns: CLUSTERS },
    );
    expect(kept).toBeGreaterThan(CLUSTERS);
  });
});
