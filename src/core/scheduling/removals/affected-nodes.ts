import type { NodeRanking } from './node-ranking.ts';
import { MOVES, NO_ROOM, type RemovalColumns } from './removal-columns.ts';
import type { SchedulingSnapshot } from '../columns/scheduling-snapshot.ts';
import { byteAt, floatAt, intAt, type Lists } from '../columns/shared-arrays.ts';
import { NONE, type SnapshotChanges } from '../columns/snapshot-columns.ts';

/** Nodes whose removal may have another answer after changes. */
export class AffectedNodes {
  readonly #snapshot: SchedulingSnapshot;
  readonly #result: RemovalColumns;
  readonly #ranking: NodeRanking;
  readonly #changedNodes: Uint8Array;
  readonly #changedCounters: Uint8Array;
  readonly #changedBudgets: ReadonlySet<number>;
  /** By class, whether a counter of its filters or scores has changed: 0 unknown, 1 no, 2 yes. */
  readonly #isClassChanged: Uint8Array;

  /** @param ranking of the changed nodes */
  constructor(snapshot: SchedulingSnapshot, result: RemovalColumns, ranking: NodeRanking, changes: SnapshotChanges) {
    this.#snapshot = snapshot;
    this.#result = result;
    this.#ranking = ranking;
    const { nodes, counters, classes } = snapshot.columns;
    this.#changedNodes = new Uint8Array(nodes.present.length);
    for (const node of changes.nodes) this.#changedNodes[node] = 1;
    this.#changedCounters = new Uint8Array(counters.key.length);
    for (const counter of changes.counters) this.#changedCounters[counter] = 1;
    this.#changedBudgets = new Set(changes.budgets);
    this.#isClassChanged = new Uint8Array(classes.rule.length);
  }

  has(node: number): boolean {
    if (this.#changedNodes[node] === 1) return true;
    const { nodes, pods } = this.#snapshot.columns;
    for (let pod = intAt(nodes.firstPod, node); pod !== NONE; pod = intAt(pods.next, pod)) if (this.#isAffected(pod)) return true;
    return false;
  }

  #isAffected(pod: number): boolean {
    const { pods } = this.#snapshot.columns;
    const { outcome, destination, score } = this.#result;
    if (this.#changedBudgets.has(intAt(pods.budget, pod))) return true;
    const is = byteAt(outcome, pod);
    if (is !== MOVES && is !== NO_ROOM) return false;
    const ofClass = intAt(pods.class, pod);
    if (this.#isChanged(ofClass)) return true;
    if (is === NO_ROOM) return this.#ranking.boundOfChanged(ofClass) > -Infinity;
    return this.#changedNodes[intAt(destination, pod)] === 1 || this.#ranking.boundOfChanged(ofClass) >= floatAt(score, pod);
  }

  #isChanged(ofClass: number): boolean {
    if (this.#isClassChanged[ofClass] === 0) {
      const { soleClaims, spread, affinity, antiAffinity, hostile, softSpread, preferred } = this.#snapshot.columns.classes;
      const lists = [soleClaims, spread, affinity, antiAffinity, hostile, softSpread, preferred];
      this.#isClassChanged[ofClass] = lists.some((list) => this.#hasChanged(list, ofClass)) ? 2 : 1;
    }
    return this.#isClassChanged[ofClass] === 2;
  }

  #hasChanged({ start, length, pool }: Lists, ofClass: number): boolean {
    const first = intAt(start, ofClass);
    for (let at = first; at < first + intAt(length, ofClass); at++) if (this.#changedCounters[intAt(pool, at)] === 1) return true;
    return false;
  }
}
