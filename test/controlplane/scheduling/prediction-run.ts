// How often a predicted destination is one that the real scheduler may choose: the pods of a node that goes, one by one.

import { decodeSchedulingPod } from '#embedded-cluster/scheduler/decode-pod';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import { ColumnarCluster } from '../../../src/core/scheduling/cluster/columnar-cluster.ts';
import { NodeRemovals } from '../../../src/core/scheduling/removals/node-removals.ts';
import { MOVES, NO_ROOM } from '../../../src/core/scheduling/removals/removal-columns.ts';
import { Dice } from '../../builders/scheduling/dice.ts';
import { randomCluster } from '../../builders/scheduling/random-cluster.ts';
import { viewOf } from '../../builders/scheduling/view-of.ts';
import type { WireCluster, WireObject } from '../../builders/scheduling/wire-cluster.ts';
import type { Decision } from './our-decision.ts';
import type { SchedulerRules } from './scheduler-rules.ts';

export interface PredictionReport {
  readonly clusters: number;
  /** Pods of the nodes that went, without those that are not scheduled again. */
  readonly pods: number;
  /** Pods that both sides place nowhere. */
  readonly unplaced: number;
  /** Pods of which one side says that they fit and the other that they do not. */
  readonly contradictions: number;
  /** Pods with a choice between two nodes or more. */
  readonly choices: number;
  /** Choices predicted as one of the nodes with the real scheduler's highest score, of which it takes one at random. */
  readonly hits: number;
  /** Hits of a random choice among the nodes that fit, on average. */
  readonly randomHits: number;
}

/** Predicts one removal for each of `count` clusters of consecutive seeds. */
export async function runPredictions(rules: SchedulerRules, firstSeed: number, count: number): Promise<PredictionReport> {
  const sums = { pods: 0, unplaced: 0, contradictions: 0, choices: 0, hits: 0, randomHits: 0 };
  let clusters = 0;
  for (let seed = firstSeed; clusters < count; seed++) {
    const cluster = withoutResizes(randomCluster(seed));
    const removed = new Dice(seed).pick(cluster.nodes).metadata.name;
    const predictions = predict(cluster, removed);
    if (cluster.nodes.length < 3 || predictions.length === 0) continue;
    clusters++;
    const rest = { ...cluster, nodes: cluster.nodes.filter(({ metadata }) => metadata.name !== removed), budgets: [] };
    let pods = cluster.pods.filter((pod) => specOf(pod)['nodeName'] !== removed);
    for (const { pod, destination } of predictions) {
      const answer = await rules.ask({ ...rest, pods, pending: [pending(pod)] });
      const [decision] = answer.pods ?? [];
      if (decision === undefined) throw new Error(`seed ${seed}: ${answer.error ?? answer.invalid?.join('; ') ?? 'no answer'}`);
      judge(decision, destination, sums);
      if (destination !== null) pods = [...pods, { ...pod, spec: { ...specOf(pod), nodeName: destination } }];
    }
  }
  return { clusters, ...sums, randomHits: Math.round(sums.randomHits) };
}

function judge({ scores = {} }: Decision, destination: string | null, sums: Sums): void {
  sums.pods++;
  const fitting = Object.keys(scores);
  if ((destination === null) !== (fitting.length === 0)) sums.contradictions++;
  else if (destination === null) sums.unplaced++;
  if (destination === null || fitting.length < 2) return;
  const highest = Math.max(...Object.values(scores));
  sums.choices++;
  if (scores[destination] === highest) sums.hits++;
  sums.randomHits += Object.values(scores).filter((score) => score === highest).length / fitting.length;
}

type Sums = Record<'pods' | 'unplaced' | 'contradictions' | 'choices' | 'hits' | 'randomHits', number>;

interface Prediction {
  readonly pod: WireObject;
  readonly destination: string | null;
}

/** The pods of a node in the order in which they are placed, with their predicted destinations. */
function predict(cluster: WireCluster, node: string): readonly Prediction[] {
  const columnar = ColumnarCluster.of(viewOf(cluster));
  const removals = new NodeRemovals(columnar.snapshot);
  removals.compute(columnar.nodeOf(node));
  const { outcome, destination } = removals.result;
  const wire = new Map(cluster.pods.map((pod) => [decodeSchedulingPod(pod as unknown as Pod).uid, pod]));
  return columnar.podsOn(columnar.nodeOf(node)).flatMap(({ uid }) => {
    const slot = columnar.slotOf(uid);
    const pod = wire.get(uid);
    if (pod === undefined || (outcome[slot] !== MOVES && outcome[slot] !== NO_ROOM)) return [];
    return [{ pod, destination: outcome[slot] === MOVES ? columnar.nodeNameOf(destination[slot]!) : null }];
  });
}

/** Without resizes in progress: another pod of the template starts with the requests of its spec. */
function withoutResizes(cluster: WireCluster): WireCluster {
  const pods = cluster.pods.map((pod) => {
    const { phase, startTime } = pod['status'] as { readonly phase: string; readonly startTime?: string };
    return { ...pod, status: { phase, ...(startTime !== undefined && { startTime }) } };
  });
  return { ...cluster, pods };
}

function pending(pod: WireObject): WireObject {
  const { nodeName: _, ...spec } = specOf(pod);
  return { ...pod, spec, status: { phase: 'Pending' } };
}

function specOf(pod: WireObject): Readonly<Record<string, unknown>> {
  return pod['spec'] as Readonly<Record<string, unknown>>;
}
