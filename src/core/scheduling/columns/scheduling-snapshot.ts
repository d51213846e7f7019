import { combineScore, shareAfter } from '#kube/scheduling/score-node';
import { addCount, countAt } from './count-table.ts';
import { Journal } from './journal.ts';
import { CPU, MEMORY, NONE, type NodeColumns, type SnapshotColumns } from './snapshot-columns.ts';
import { byteAt, floatAt, intAt, ints, type Floats, type Lists } from './shared-arrays.ts';
import { VolumeLimits } from './volume-limits.ts';

/** Why a node is infeasible for a class. `STATIC` and above: the static refusal with that number less `STATIC`. */
export const FITS = 0;
export const PORTS = 1;
export const RESOURCES = 2;
export const DISKS = 3;
export const SOLE_CLAIMS = 4;
export const VOLUME_LIMITS = 5;
export const SPREAD = 6;
export const SPREAD_LABEL = 7;
export const AFFINITY = 8;
export const ANTI_AFFINITY = 9;
export const EXISTING_ANTI_AFFINITY = 10;
export const STATIC = 16;

/** Phases of static refusals: between them kube-scheduler runs the filters that depend on pods. */
export const BEFORE_PORTS = 0;
export const BEFORE_SPREAD = 1;
export const LAST = 2;

/**
 * Answers of the scheduling rules from typed arrays: which class fits on which node, and how good the node is. The rules themselves are
 * stated in packages/kube/src/scheduling; every answer here equals theirs. Pods are placed and removed in a journal, which can be
 * rolled back.
 */
export class SchedulingSnapshot {
  readonly columns: SnapshotColumns;
  readonly journal = new Journal();
  /** Minimum over the domains by counter, valid while its epoch is the current one. Derived, so that no journal is needed. */
  #minimum = ints(16);
  #minimumEpoch = ints(16);
  #epoch = 1;
  readonly #volumeLimits: VolumeLimits;

  constructor(columns: SnapshotColumns) {
    this.columns = columns;
    this.#volumeLimits = new VolumeLimits(columns);
  }

  /** Puts a pod on a node, before the pods of its list or after one of them. */
  place(pod: number, node: number, after: number = NONE): void {
    const { nodes, pods } = this.columns;
    const next = after === NONE ? intAt(nodes.firstPod, node) : intAt(pods.next, after);
    this.journal.setInt(pods.next, pod, next);
    this.journal.setInt(pods.previous, pod, after);
    if (next !== NONE) this.journal.setInt(pods.previous, next, pod);
    if (after === NONE) this.journal.setInt(nodes.firstPod, node, pod);
    else this.journal.setInt(pods.next, after, pod);
    this.journal.setInt(pods.node, pod, node);
    this.#count(pod, node, 1);
  }

  /** Removes a pod from its node. */
  remove(pod: number): void {
    const { nodes, pods } = this.columns;
    const node = intAt(pods.node, pod);
    const next = intAt(pods.next, pod);
    const previous = intAt(pods.previous, pod);
    if (next !== NONE) this.journal.setInt(pods.previous, next, previous);
    if (previous === NONE) this.journal.setInt(nodes.firstPod, node, next);
    else this.journal.setInt(pods.next, previous, next);
    this.journal.setInt(pods.node, pod, NONE);
    this.#count(pod, node, -1);
  }

  /** Adds (1) or removes (−1) a node without pods as a domain of spread constraints. */
  setPresent(node: number, present: 0 | 1): void {
    const { nodes, groups } = this.columns;
    this.journal.setInt(nodes.present, node, present);
    for (const [group, eligible] of groups.eligible.entries()) {
      if (eligible[node] !== 1) continue;
      const domain = this.domainOf(intAt(groups.key, group), node);
      const byDomain = groups.nodesByDomain[group];
      if (byDomain === undefined || domain === NONE) continue;
      const before = byDomain[domain] ?? 0;
      const after = before + (present === 1 ? 1 : -1);
      this.journal.setInt(byDomain, domain, after);
      if (before === 0 || after === 0) this.journal.setInt(groups.domains, group, intAt(groups.domains, group) + (after === 0 ? -1 : 1));
    }
    this.#epoch++;
  }

  /** Undoes everything since the mark. */
  rollback(mark: ReturnType<Journal['mark']>): void {
    this.journal.rollback(mark);
    this.#epoch++;
  }

  /** Must be called when counters have got other numbers. */
  forgetMinima(): void {
    this.#epoch++;
  }

  /** Adds to a counter on a node, if the node counts for it. */
  addToCounter(counter: number, node: number, change: 1 | -1): void {
    const { counters, groups, counts } = this.columns;
    const domain = this.domainOf(intAt(counters.key, counter), node);
    if (domain === NONE) return;
    const group = intAt(counters.group, counter);
    if (group !== NONE && groups.eligible[group]?.[node] !== 1) return;
    const after = addCount(counts, this.journal, counter, domain, change);
    this.journal.setInt(counters.total, counter, intAt(counters.total, counter) + change);
    if (after === 0) this.journal.setInt(counters.nonZero, counter, intAt(counters.nonZero, counter) - 1);
    else if (after === 1 && change === 1) this.journal.setInt(counters.nonZero, counter, intAt(counters.nonZero, counter) + 1);
    if (counter < this.#minimumEpoch.length) this.#minimumEpoch[counter] = 0;
  }

  #count(pod: number, node: number, change: 1 | -1): void {
    const { nodes, pods, classes, requests } = this.columns;
    this.journal.setInt(nodes.podCount, node, intAt(nodes.podCount, node) + change);
    const ofClass = intAt(pods.class, pod);
    const { resources, amounts } = requests;
    const id = intAt(classes.requests, ofClass);
    const start = intAt(resources.start, id);
    const end = start + intAt(resources.length, id);
    for (let at = start; at < end; at++) {
      const requested = nodes.requested[intAt(resources.pool, at)];
      if (requested !== undefined) this.journal.setFloat(requested, node, (requested[node] ?? 0) + change * floatAt(amounts, at));
    }
    const volumes = intAt(classes.volumes.length, ofClass);
    if (volumes > 0) this.journal.setInt(nodes.volumeUses, node, intAt(nodes.volumeUses, node) + change * volumes);
    const { memberOf } = classes;
    const first = intAt(memberOf.start, ofClass);
    const last = first + intAt(memberOf.length, ofClass);
    for (let at = first; at < last; at++) this.addToCounter(intAt(memberOf.pool, at), node, change);
    const owner = intAt(pods.owner, pod);
    if (owner !== NONE) this.addToCounter(owner, node, change);
  }

  /** Why a class does not fit on a node, by kube-scheduler's order of filters; FITS: it does. */
  refusalOf(ofClass: number, node: number): number {
    const { classes, rules } = this.columns;
    const verdict = this.#verdictOf(intAt(classes.rule, ofClass), node);
    const phase = verdict === 0 ? NONE : byteAt(rules.phase, verdict - 1);
    if (phase === BEFORE_PORTS) return STATIC + verdict - 1;
    const local = this.#refuseLocally(ofClass, node);
    if (local !== FITS) return local;
    if (phase === BEFORE_SPREAD) return STATIC + verdict - 1;
    const topological = this.#refuseByDomains(ofClass, node);
    if (topological !== FITS) return topological;
    return phase === LAST ? STATIC + verdict - 1 : FITS;
  }

  /** Whether no static rule refuses a node. */
  isAllowed(ofClass: number, node: number): boolean {
    return this.#verdictOf(intAt(this.columns.classes.rule, ofClass), node) === 0;
  }

  /** Whether a node has less of a resource free than is requested. */
  #isShortOf(request: number, resource: number, node: number, requested: readonly Floats[]): boolean {
    return request > 0 && request > (this.columns.nodes.allocatable[resource]?.[node] ?? 0) - (requested[resource]?.[node] ?? 0);
  }

  /** Domain of a node by a topology key; NONE: the node has no such label. */
  domainOf(key: number, node: number): number {
    return this.columns.topology.domain[key]?.[node] ?? NONE;
  }

  #verdictOf(rule: number, node: number): number {
    return this.columns.rules.verdict[rule]?.[this.#columnOf(rule, node)] ?? 0;
  }

  #columnOf(rule: number, node: number): number {
    const { rules, nodes } = this.columns;
    return rules.perNode[rule] === 1 ? node : intAt(nodes.shape, node);
  }

  #refuseLocally(ofClass: number, node: number): number {
    const { classes, nodes } = this.columns;
    if (this.#isAnyAbove0(classes.portConflicts, ofClass, node)) return PORTS;
    if (!this.hasResources(ofClass, node, nodes)) return RESOURCES;
    if (this.#isAnyAbove0(classes.diskConflicts, ofClass, node)) return DISKS;
    if (this.#isAnyAbove0(classes.soleClaims, ofClass, node)) return SOLE_CLAIMS;
    return this.#volumeLimits.isExceeded(ofClass, node) ? VOLUME_LIMITS : FITS;
  }

  /** Whether a node has the requested resources and one more pod. @param nodes what is used of each node */
  hasResources(ofClass: number, node: number, nodes: Pick<NodeColumns, 'podCount' | 'requested'>): boolean {
    const { requests, classes } = this.columns;
    if (intAt(nodes.podCount, node) + 1 > floatAt(this.columns.nodes.maxPods, node)) return false;
    const id = intAt(classes.requests, ofClass);
    const { resources, amounts } = requests;
    const start = intAt(resources.start, id);
    const end = start + intAt(resources.length, id);
    for (let at = start; at < end; at++) {
      if (this.#isShortOf(floatAt(amounts, at), intAt(resources.pool, at), node, nodes.requested)) return false;
    }
    return true;
  }

  /** Whether a counter of the list has pods in the node's domain. */
  #isAnyAbove0({ start, length, pool }: Lists, ofClass: number, node: number): boolean {
    const count = intAt(length, ofClass);
    if (count === 0) return false;
    const first = intAt(start, ofClass);
    for (let at = first; at < first + count; at++) if (this.countOn(intAt(pool, at), node) > 0) return true;
    return false;
  }

  /** Count of a counter in a node's domain; 0 without the label. */
  countOn(counter: number, node: number): number {
    const { counters, counts } = this.columns;
    if (counters.total[counter] === 0) return 0;
    const domain = this.domainOf(intAt(counters.key, counter), node);
    return domain === NONE ? 0 : countAt(counts, counter, domain);
  }

  #refuseByDomains(ofClass: number, node: number): number {
    const { classes } = this.columns;
    if (intAt(classes.spread.length, ofClass) > 0) {
      const spread = this.#refuseBySpread(ofClass, node);
      if (spread !== FITS) return spread;
    }
    if (intAt(classes.affinity.length, ofClass) > 0 && !this.#hasCompany(ofClass, node)) return AFFINITY;
    if (this.#isAnyAbove0(classes.antiAffinity, ofClass, node)) return ANTI_AFFINITY;
    return this.#isAnyAbove0(classes.hostile, ofClass, node) ? EXISTING_ANTI_AFFINITY : FITS;
  }

  #refuseBySpread(ofClass: number, node: number): number {
    const { classes, counters, counts } = this.columns;
    const { spread, spreadRules } = classes;
    const first = intAt(spread.start, ofClass);
    let rule = intAt(spreadRules.start, ofClass);
    for (let at = first; at < first + intAt(spread.length, ofClass); at++, rule += 3) {
      const counter = intAt(spread.pool, at);
      const domain = this.domainOf(intAt(counters.key, counter), node);
      if (domain === NONE) return SPREAD_LABEL;
      const maxSkew = intAt(spreadRules.pool, rule);
      const minDomains = intAt(spreadRules.pool, rule + 1);
      const self = intAt(spreadRules.pool, rule + 2);
      if (countAt(counts, counter, domain) + self - this.minimumOf(counter, minDomains) > maxSkew) return SPREAD;
    }
    return FITS;
  }

  /** Minimum over the domains with an eligible node; 0 with fewer than minDomains. */
  minimumOf(counter: number, minDomains: number): number {
    const { counters, groups, counts } = this.columns;
    const group = intAt(counters.group, counter);
    const domains = intAt(groups.domains, group);
    // Pods count on eligible nodes only, so that every domain with a count is one with an eligible node.
    if (domains < minDomains || intAt(counters.nonZero, counter) < domains || domains === 0) return 0;
    if (this.#minimumEpoch.length <= counter) {
      this.#minimum = ints(counters.key.length);
      this.#minimumEpoch = ints(counters.key.length);
    }
    if (this.#minimumEpoch[counter] === this.#epoch) return this.#minimum[counter] ?? 0;
    let minimum = Infinity;
    const byDomain = groups.nodesByDomain[group] ?? [];
    for (let domain = 0; domain < byDomain.length; domain++) {
      if ((byDomain[domain] ?? 0) > 0) minimum = Math.min(minimum, countAt(counts, counter, domain));
    }
    this.#minimum[counter] = minimum;
    this.#minimumEpoch[counter] = this.#epoch;
    return minimum;
  }

  #hasCompany(ofClass: number, node: number): boolean {
    const { classes, counters, counts } = this.columns;
    const { start, length, pool } = classes.affinity;
    const first = intAt(start, ofClass);
    const end = first + intAt(length, ofClass);
    let alone = false;
    for (let at = first; at < end; at++) {
      const counter = intAt(pool, at);
      const domain = this.domainOf(intAt(counters.key, counter), node);
      if (domain === NONE) return false;
      if (countAt(counts, counter, domain) <= 0) alone = true;
    }
    if (!alone) return true;
    if (classes.selfAffine[ofClass] !== 1) return false;
    // The first pod of a group that matches itself may go anywhere.
    for (let at = first; at < end; at++) if (intAt(counters.total, intAt(pool, at)) > 0) return false;
    return true;
  }

  /** Score of a feasible node; higher is better. @param owner counter of the pods of the same owner; NONE: none */
  scoreOf(ofClass: number, owner: number, node: number): number {
    const { classes, requests } = this.columns;
    const id = intAt(classes.requests, ofClass);
    return combineScore({
      cpuShare: this.#shareOf(CPU, node, floatAt(requests.cpu, id)),
      memoryShare: this.#shareOf(MEMORY, node, floatAt(requests.memory, id)),
      siblings: owner === NONE ? 0 : this.countOn(owner, node),
      softSpread: intAt(classes.softSpread.length, ofClass) === 0 ? 0 : this.#softSpreadOf(ofClass, node),
      hasUntoleratedPreference: this.hasUntoleratedPreference(ofClass, node),
      nodeTermWeight: this.nodeTermWeightOf(ofClass, node),
      podTermWeight: intAt(classes.preferred.length, ofClass) === 0 ? 0 : this.#podTermWeightOf(ofClass, node),
    });
  }

  /** Whether a node has a PreferNoSchedule taint that the class does not tolerate. */
  hasUntoleratedPreference(ofClass: number, node: number): boolean {
    const { classes, rules } = this.columns;
    const rule = intAt(classes.rule, ofClass);
    return rules.untolerated[rule]?.[this.#columnOf(rule, node)] === 1;
  }

  /** Sum of the weights of the preferred node terms that a node matches. */
  nodeTermWeightOf(ofClass: number, node: number): number {
    const { classes, rules } = this.columns;
    const rule = intAt(classes.rule, ofClass);
    return rules.termWeight[rule]?.[this.#columnOf(rule, node)] ?? 0;
  }

  /** Sum of the minima over the domains of the soft spread constraints. */
  sumSoftMinima(ofClass: number): number {
    const { start, length, pool } = this.columns.classes.softSpread;
    const first = intAt(start, ofClass);
    let sum = 0;
    for (let at = first; at < first + intAt(length, ofClass); at++) sum += this.minimumOf(intAt(pool, at), 0);
    return sum;
  }

  /** The most that met preferred terms can add. */
  maxPodTermWeightOf(ofClass: number): number {
    const { classes, counters } = this.columns;
    const { preferred, preferredWeights } = classes;
    const first = intAt(preferred.start, ofClass);
    const weights = intAt(preferredWeights.start, ofClass);
    let sum = 0;
    for (let at = 0; at < intAt(preferred.length, ofClass); at++) {
      const weight = intAt(preferredWeights.pool, weights + at);
      if (weight > 0 && intAt(counters.total, intAt(preferred.pool, first + at)) > 0) sum += weight;
    }
    return sum;
  }

  #shareOf(resource: number, node: number, request: number): number {
    const { allocatable, requested } = this.columns.nodes;
    return shareAfter(requested[resource]?.[node] ?? 0, request, allocatable[resource]?.[node] ?? 0);
  }

  #softSpreadOf(ofClass: number, node: number): number {
    const { classes, counters, topology, counts } = this.columns;
    const { start, length, pool } = classes.softSpread;
    const first = intAt(start, ofClass);
    let total = 0;
    for (let at = first; at < first + intAt(length, ofClass); at++) {
      const counter = intAt(pool, at);
      const key = intAt(counters.key, counter);
      const own = this.domainOf(key, node);
      // A node without the label counts as one with an empty value.
      const domain = own === NONE ? intAt(topology.emptyDomain, key) : own;
      total += (domain === NONE ? 0 : countAt(counts, counter, domain)) - this.minimumOf(counter, 0);
    }
    return total;
  }

  #podTermWeightOf(ofClass: number, node: number): number {
    const { preferred, preferredWeights } = this.columns.classes;
    const first = intAt(preferred.start, ofClass);
    const weights = intAt(preferredWeights.start, ofClass);
    let sum = 0;
    for (let at = 0; at < intAt(preferred.length, ofClass); at++) {
      if (this.countOn(intAt(preferred.pool, first + at), node) > 0) sum += intAt(preferredWeights.pool, weights + at);
    }
    return sum;
  }

  /** The best feasible node by score, then by name; NONE: no node is feasible. */
  selectNode(ofClass: number, owner: number): number {
    const { nodes } = this.columns;
    let best = NONE;
    let bestScore = -Infinity;
    for (let node = 0; node < nodes.count; node++) {
      if (nodes.present[node] !== 1 || this.refusalOf(ofClass, node) !== FITS) continue;
      const score = this.scoreOf(ofClass, owner, node);
      if (score > bestScore || (score === bestScore && intAt(nodes.rank, node) < intAt(nodes.rank, best))) {
        best = node;
        bestScore = score;
      }
    }
    return best;
  }
}
