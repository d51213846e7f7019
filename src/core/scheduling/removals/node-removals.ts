import {
  BLOCKED_BY_BUDGET,
  BLOCKED_BY_BUDGETS,
  EXCLUDED,
  GOES,
  MOVES,
  newRemovals,
  NO_ROOM,
  PROTECTED,
  UNMODELLED,
  UNOWNED,
  type RemovalColumns,
} from './removal-columns.ts';
import { AffectedNodes } from './affected-nodes.ts';
import { NodeRanking, RANKED, type RankingLengths } from './node-ranking.ts';
import type { SchedulingSnapshot } from '../columns/scheduling-snapshot.ts';
import { byteAt, grownBytes, grownFloats, grownInts, intAt } from '../columns/shared-arrays.ts';
import { EXCLUDED_UNMODELLED, NONE, POD_ROLES, SEVERAL_BUDGETS, type SnapshotChanges } from '../columns/snapshot-columns.ts';

const MOVABLE = POD_ROLES.indexOf('movable');
const BY_ROLE: Readonly<Record<(typeof POD_ROLES)[number], number>> = {
  ...{ movable: MOVES, unowned: UNOWNED, protected: PROTECTED },
  ...{ daemonSet: GOES, mirror: GOES, terminating: GOES },
};
const OUTCOME_BY_ROLE = POD_ROLES.map((role) => BY_ROLE[role]);

/**
 * Where the pods of nodes would go if the node went: evicted together, they are placed in the order of the scheduling queue, each on
 * the best node by score, without preemption. Every node is asked alone; the snapshot is unchanged afterwards.
 */
export class NodeRemovals {
  readonly result: RemovalColumns;
  readonly #snapshot: SchedulingSnapshot;
  readonly #ranking: NodeRanking;
  readonly #lengths: RankingLengths;

  constructor(snapshot: SchedulingSnapshot, result: RemovalColumns = newRemovals(), lengths = RANKED) {
    this.#snapshot = snapshot;
    this.result = result;
    this.#lengths = lengths;
    this.#ranking = new NodeRanking(snapshot, lengths);
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

  /**
   * Answers for the nodes whose answer may have changed, and returns their number. The answer of a node is kept if neither its pods nor
   * those of their destinations have changed, no counter has changed that its pods are filtered or scored by, and none of its pods could
   * score on a changed node as high as on its destination. Whatever else has changed, each pod is decided as before.
   */
  update(changes: SnapshotChanges): number {
    const { nodes } = this.#snapshot.columns;
    if (changes.everything) {
      this.computeAll();
      return nodes.count;
    }
    const ranking = new NodeRanking(this.#snapshot, this.#lengths, changes.nodes);
    const affected = new AffectedNodes(this.#snapshot, this.result, ranking, changes);
    let computed = 0;
    for (let node = 0; node < nodes.count; node++) {
      if (nodes.present[node] !== 1 || !affected.has(node)) continue;
      this.compute(node);
      computed++;
    }
    return computed;
  }

  /** Answers for one node. @param onNoRoom called for a pod that fits nowhere, while the snapshot is as the pod would find it */
  compute(node: number, onNoRoom: (pod: number) => void = () => undefined): void {
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
      if (outcome[pod] === NO_ROOM) onNoRoom(pod);
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
