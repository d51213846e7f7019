import type { SchedulingSnapshot } from '../columns/scheduling-snapshot.ts';
import { intAt, type Lists } from '../columns/shared-arrays.ts';
import { NONE } from '../columns/snapshot-columns.ts';

/**
 * What the pods of a node alone decide about a class there, whatever is placed elsewhere: a refusal or a lower score in a domain that is
 * the node's own, such as its host name.
 */
export class OwnPods {
  readonly #snapshot: SchedulingSnapshot;
  readonly #present: Uint8Array;
  /** Count of nodes by domain, by topology key. */
  readonly #nodesByDomain: (Int32Array | undefined)[] = [];

  /** @param present 1 for each node of the cluster */
  constructor(snapshot: SchedulingSnapshot, present: Uint8Array) {
    this.#snapshot = snapshot;
    this.#present = present;
  }

  /** Whether the node refuses the class. It does so as long as no minimum of `minimaOf` rises. */
  refuse(ofClass: number, node: number): boolean {
    const { classes } = this.#snapshot.columns;
    return (
      this.#some(classes.antiAffinity, ofClass, node, (count) => count > 0) ||
      this.#some(classes.hostile, ofClass, node, (count) => count > 0) ||
      // The first pods of a group may go anywhere.
      (classes.selfAffine[ofClass] !== 1 && this.#some(classes.affinity, ofClass, node, (count) => count === 0)) ||
      this.#isTooSkewed(ofClass, node)
    );
  }

  /** Minima over the domains of the hard spread constraints. */
  minimaOf(ofClass: number): readonly number[] {
    const { spread, spreadRules } = this.#snapshot.columns.classes;
    const rules = intAt(spreadRules.start, ofClass);
    return Array.from({ length: intAt(spread.length, ofClass) }, (_, index) =>
      this.#snapshot.minimumOf(intAt(spread.pool, intAt(spread.start, ofClass) + index), intAt(spreadRules.pool, rules + index * 3 + 1)),
    );
  }

  /**
   * Sum of the weights of preferred anti-affinity that the node's pods meet, 0 or less. 0 where a preferred affinity may make up for it:
   * the sum of both is cut off at 100.
   */
  weightOf(ofClass: number, node: number): number {
    const { preferred, preferredWeights } = this.#snapshot.columns.classes;
    let sum = 0;
    for (let index = 0; index < intAt(preferred.length, ofClass); index++) {
      const weight = intAt(preferredWeights.pool, intAt(preferredWeights.start, ofClass) + index);
      if (weight > 0) return 0;
      const counter = intAt(preferred.pool, intAt(preferred.start, ofClass) + index);
      if (this.#isOwn(counter, node) && this.#snapshot.countOn(counter, node) > 0) sum += weight;
    }
    return sum;
  }

  #isTooSkewed(ofClass: number, node: number): boolean {
    const { spread, spreadRules } = this.#snapshot.columns.classes;
    for (let index = 0; index < intAt(spread.length, ofClass); index++) {
      const counter = intAt(spread.pool, intAt(spread.start, ofClass) + index);
      if (!this.#isOwn(counter, node)) continue;
      const rule = intAt(spreadRules.start, ofClass) + index * 3;
      const minimum = this.#snapshot.minimumOf(counter, intAt(spreadRules.pool, rule + 1));
      const skew = this.#snapshot.countOn(counter, node) + intAt(spreadRules.pool, rule + 2) - minimum;
      if (skew > intAt(spreadRules.pool, rule)) return true;
    }
    return false;
  }

  #some({ start, length, pool }: Lists, ofClass: number, node: number, test: (count: number) => boolean): boolean {
    const first = intAt(start, ofClass);
    for (let at = first; at < first + intAt(length, ofClass); at++) {
      const counter = intAt(pool, at);
      if (this.#isOwn(counter, node) && test(this.#snapshot.countOn(counter, node))) return true;
    }
    return false;
  }

  /** Whether the node is the only one of its domain. */
  #isOwn(counter: number, node: number): boolean {
    const key = intAt(this.#snapshot.columns.counters.key, counter);
    const domain = this.#snapshot.domainOf(key, node);
    return domain !== NONE && intAt((this.#nodesByDomain[key] ??= this.#countNodes(key)), domain) === 1;
  }

  #countNodes(key: number): Int32Array {
    const domains = Array.from(this.#present, (present, node) => (present === 1 ? this.#snapshot.domainOf(key, node) : NONE));
    const counts = new Int32Array(domains.reduce((highest, domain) => Math.max(highest, domain), 0) + 1);
    for (const domain of domains) if (domain !== NONE) counts[domain] = intAt(counts, domain) + 1;
    return counts;
  }
}
