import { NodeRanking, SHORT_LENGTH } from './node-ranking.ts';
import type { SchedulingSnapshot } from './scheduling-snapshot.ts';
import {
  byteAt,
  bytes,
  floats,
  grownBytes,
  grownFloats,
  grownInts,
  intAt,
  ints,
  type Bytes,
  type Floats,
  type Ints,
} from './shared-arrays.ts';
import { EXCLUDED_UNMODELLED, NONE, POD_ROLES, SEVERAL_BUDGETS } from './snapshot-columns.ts';

/** What becomes of a pod if its node goes, by number. */
export const POD_OUTCOMES = [
  ...['moves', 'goes with the node', 'has no controller', 'is protected', 'has several budgets', 'its budget allows no eviction'],
  ...['is not modelled', 'fits on no node by its own rules', 'fits on no other node'],
] as const;

export const MOVES = 0;
export const GOES = 1;
export const UNOWNED = 2;
export const PROTECTED = 3;
export const BLOCKED_BY_BUDGETS = 4;
export const BLOCKED_BY_BUDGET = 5;
export const UNMODELLED = 6;
export const EXCLUDED = 7;
export const NO_ROOM = 8;

/** Answers to "what if this node went", as columns in shared memory. */
export interface RemovalColumns {
  /** By slot of the pod: where it would go; NONE: nowhere. */
  destination: Ints;
  /** By slot: one of POD_OUTCOMES. */
  outcome: Bytes;
  /** By slot: the score of the destination. */
  score: Floats;
  /** By node: pods that block its removal. */
  blockers: Ints;
}

const MOVABLE = POD_ROLES.indexOf('movable');
const BY_ROLE: Readonly<Record<(typeof POD_ROLES)[number], number>> = {
  ...{ movable: MOVES, unowned: UNOWNED, protected: PROTECTED },
  ...{ daemonSet: GOES, mirror: GOES, terminating: GOES },
};
const OUTCOME_BY_ROLE = POD_ROLES.map((role) => BY_ROLE[role]);

export function newRemovals(): RemovalColumns {
  return { destination: ints(16, NONE), outcome: bytes(16), score: floats(16), blockers: ints(16) };
}

/**
 * Where the pods of nodes would go if the node went: evicted together, they are placed in the order of the scheduling queue, each on
 * the best node by score, without preemption. Every node is asked alone; the snapshot is unchanged afterwards.
 */
export class NodeRemovals {
  readonly result: RemovalColumns;
  readonly #snapshot: SchedulingSnapshot;
  readonly #ranking: NodeRanking;

  constructor(snapshot: SchedulingSnapshot, result: RemovalColumns = newRemovals(), shortLength = SHORT_LENGTH) {
    this.#snapshot = snapshot;
    this.result = result;
    this.#ranking = new NodeRanking(snapshot, shortLength);
    const { nodes, pods } = snapshot.columns;
    result.destination = grownInts(result.destination, pods.class.length, NONE);
    result.outcome = grownBytes(result.outcome, pods.class.length);
    result.score = grownFloats(result.score, pods.class.length);
    result.blockers = grownInts(result.blockers, nodes.present.length);
  }

  /** Answers for every node. */
  computeAll(): void {
    const { nodes } = this.#snapshot.columns;
    for (let node = 0; node < nodes.count; node++) if (nodes.present[node] === 1) this.compute(node);
  }

  /** Answers for one node. */
  compute(node: number): void {
    const snapshot = this.#snapshot;
    const { nodes, pods } = snapshot.columns;
    const { outcome, destination, blockers } = this.result;
    const onNode: number[] = [];
    for (let pod = intAt(nodes.firstPod, node); pod !== NONE; pod = intAt(pods.next, pod)) onNode.push(pod);
    const mark = snapshot.journal.mark();
    for (const pod of onNode) snapshot.remove(pod);
    snapshot.setPresent(node, 0);
    this.#ranking.begin(node);
    let blocking = 0;
    for (const pod of onNode) {
      destination[pod] = NONE;
      outcome[pod] = this.#obstacleOf(pod);
      if (outcome[pod] === MOVES) this.#place(pod);
      if (byteAt(outcome, pod) > GOES) blocking++;
    }
    blockers[node] = blocking;
    snapshot.rollback(mark);
  }

  #place(pod: number): void {
    const { pods } = this.#snapshot.columns;
    const { outcome, destination, score } = this.result;
    const node = this.#ranking.select(intAt(pods.class, pod), intAt(pods.owner, pod));
    destination[pod] = node;
    score[pod] = this.#ranking.score;
    if (node === NONE) outcome[pod] = NO_ROOM;
    else {
      this.#snapshot.place(pod, node);
      this.#ranking.touch(node);
    }
  }

  /** Why a pod cannot leave its node, whatever the other nodes are like. */
  #obstacleOf(pod: number): number {
    const { pods, budgets, classes } = this.#snapshot.columns;
    const role = byteAt(pods.role, pod);
    if (role !== MOVABLE) return OUTCOME_BY_ROLE[role] ?? PROTECTED;
    const budget = intAt(pods.budget, pod);
    if (budget === SEVERAL_BUDGETS) return BLOCKED_BY_BUDGETS;
    if (budget !== NONE && intAt(budgets.allowed, budget) <= 0) return BLOCKED_BY_BUDGET;
    const excluded = byteAt(classes.excluded, intAt(pods.class, pod));
    if (excluded === 0) return MOVES;
    return excluded === EXCLUDED_UNMODELLED ? UNMODELLED : EXCLUDED;
  }
}
