import { combineScore, shareAfter, type ScoreParts } from '#kube/scheduling/score-node';
import { OwnPods } from './own-pods.ts';
import { FITS, type SchedulingSnapshot } from '../columns/scheduling-snapshot.ts';
import { copyArrays, floatAt, intAt } from '../columns/shared-arrays.ts';
import { CPU, MEMORY, NONE, type NodeColumns } from '../columns/snapshot-columns.ts';

/** How many candidates of a request and static rule are ranked at first, and if those do not suffice. */
export interface RankingLengths {
  readonly short: number;
  readonly longer: number;
  /** Lists of one class and owner that are kept, 60 kB each at 5,000 nodes. */
  readonly ownLists: number;
}

/** Most pods fit on one of the first few. Few classes need a list of their own: those with pods on nearly every node that they may use. */
export const RANKED: RankingLengths = { short: 32, longer: 256, ownLists: 256 };
/** Sums of the same parts in another order may differ by rounding. */
const ROUNDING = 1e-6;

/** Nodes with room for a request and a static rule, the best by local score first. */
interface Candidates {
  readonly nodes: Int32Array;
  /** The score without what depends on other pods: no node of the list scores higher than this and the bonus of the class. */
  readonly bounds: Float64Array;
  readonly length: number;
  /** Whether the list has every candidate. */
  readonly complete: boolean;
}

/** The candidates of one class and owner. */
interface OwnCandidates extends Candidates {
  /** Minima of the hard spread constraints when the list was made. */
  readonly minima: readonly number[];
}

/**
 * Selects the best node of many questions about one snapshot: "what if some pods were elsewhere". Candidates are ranked once for each
 * request and static rule by a bound of their score; a question walks the ranking until no further node can be better. Nodes that the
 * question has changed are looked at by themselves.
 */
export class NodeRanking {
  /** Score of the last selected node. */
  score = -Infinity;
  readonly #snapshot: SchedulingSnapshot;
  readonly #lengths: RankingLengths;
  readonly #changed: readonly number[];
  /** Nodes before all questions. */
  readonly #nodes: Pick<NodeColumns, 'present' | 'requested' | 'podCount'>;
  readonly #candidates = new Map<number, Candidates>();
  readonly #own = new Map<number, OwnCandidates>();
  readonly #ownPods: OwnPods;
  /** By topology key: whether a node has no such label; undefined: not looked at yet. */
  readonly #isLabelMissing: (boolean | undefined)[] = [];
  /** Bounds on the changed nodes by request and static rule. */
  readonly #boundsOn = new Map<number, number>();
  readonly #allowed: (Candidates | undefined)[] = [];
  #touched: number[] = [];
  /** Question in which each node was last touched. */
  #touchedIn: Int32Array;
  #question = 0;

  /** @param changed nodes for `boundOfChanged` */
  constructor(snapshot: SchedulingSnapshot, lengths: RankingLengths, changed: readonly number[] = []) {
    this.#changed = changed;
    this.#lengths = lengths;
    this.#snapshot = snapshot;
    const { present, requested, podCount } = snapshot.columns.nodes;
    this.#nodes = copyArrays({ present, requested, podCount });
    this.#ownPods = new OwnPods(snapshot, this.#nodes.present);
    this.#touchedIn = new Int32Array(snapshot.columns.nodes.present.length);
  }

  /** Begins a question about the snapshot without one node. Rankings are of the snapshot before it. */
  begin(removed: number): void {
    this.#question++;
    this.#touched = [];
    this.#touchedIn[removed] = this.#question;
  }

  /** Notes that the question has placed a pod on a node. */
  touch(node: number): void {
    if (this.#touchedIn[node] === this.#question) return;
    this.#touchedIn[node] = this.#question;
    this.#touched.push(node);
  }

  /** The best feasible node by score, then by name; NONE: no node is feasible. */
  select(ofClass: number, owner: number): number {
    const snapshot = this.#snapshot;
    const { rank } = snapshot.columns.nodes;
    let best = NONE;
    let bestScore = -Infinity;
    const consider = (node: number): void => {
      if (snapshot.refusalOf(ofClass, node) !== FITS) return;
      const score = snapshot.scoreOf(ofClass, owner, node);
      if (score < bestScore || (score === bestScore && intAt(rank, node) > intAt(rank, best))) return;
      best = node;
      bestScore = score;
    };
    const bonus = this.#bonusOf(ofClass) + ROUNDING;
    /** Returns whether no further node can be better. */
    const walk = (candidates: Candidates, from: number): boolean => {
      for (let at = from; at < candidates.length; at++) {
        if (floatAt(candidates.bounds, at) + bonus < bestScore) return true;
        const node = intAt(candidates.nodes, at);
        if (this.#touchedIn[node] !== this.#question) consider(node);
      }
      return candidates.complete;
    };
    this.#walkCandidates(ofClass, owner, walk);
    // Last, because most of them are fuller than the best of the others.
    const { nodes } = snapshot.columns;
    for (const node of this.#touched) if (this.#boundOf(ofClass, node, true, nodes) + bonus >= bestScore) consider(node);
    this.score = bestScore;
    return best;
  }

  /** Walks short lists first. Where their nodes do not suffice, a list of the class and owner leaves out what cannot be the answer. */
  #walkCandidates(ofClass: number, owner: number, walk: (candidates: Candidates, from: number) => boolean): void {
    const key = ofClass * 2 ** 31 + owner + 1;
    const own = this.#own.get(key);
    if (own !== undefined && this.#ownPods.minimaOf(ofClass).every((minimum, index) => minimum <= (own.minima[index] ?? -Infinity))) {
      walk(own, 0);
      return;
    }
    const short = this.#candidatesOf(ofClass, this.#lengths.short);
    if (walk(short, 0)) return;
    const longer = this.#candidatesOf(ofClass, this.#lengths.longer);
    if (walk(longer, short.length)) return;
    const made = this.#ownCandidates(ofClass, owner);
    if (this.#own.size < this.#lengths.ownLists) this.#own.set(key, made);
    walk(made, 0);
  }

  /**
   * An upper bound of the score on the best changed node; −Infinity: none has room. Infinity: the class has no
   * bound.
   */
  boundOfChanged(ofClass: number): number {
    const { classes, requests } = this.#snapshot.columns;
    if (intAt(classes.softSpread.length, ofClass) > 0 && this.#hasNodesWithoutLabel(ofClass)) return Infinity;
    const key = intAt(classes.rule, ofClass) * requests.cpu.length + intAt(classes.requests, ofClass);
    let bound = this.#boundsOn.get(key);
    if (bound === undefined) {
      bound = -Infinity;
      for (const node of this.#changed) {
        const isPossible =
          this.#nodes.present[node] === 1 &&
          this.#snapshot.isAllowed(ofClass, node) &&
          this.#snapshot.hasResources(ofClass, node, this.#nodes);
        if (isPossible) bound = Math.max(bound, this.#boundOf(ofClass, node, true, this.#nodes));
      }
      this.#boundsOn.set(key, bound);
    }
    return bound + this.#bonusOf(ofClass) + ROUNDING;
  }

  /** How much a node's score may exceed its bound. */
  #bonusOf(ofClass: number): number {
    const { classes } = this.#snapshot.columns;
    const soft = intAt(classes.softSpread.length, ofClass) > 0 && this.#hasNodesWithoutLabel(ofClass);
    const softSpread = soft ? -this.#snapshot.sumSoftMinima(ofClass) : 0;
    const podTermWeight = intAt(classes.preferred.length, ofClass) > 0 ? this.#snapshot.maxPodTermWeightOf(ofClass) : 0;
    return combineScore({ ...NO_PARTS, softSpread, podTermWeight }) - combineScore(NO_PARTS);
  }

  /** Whether a node has no label of one of the class's soft spread constraints, so that none of its pods count there. */
  #hasNodesWithoutLabel(ofClass: number): boolean {
    const { classes, counters, topology } = this.#snapshot.columns;
    const { start, length, pool } = classes.softSpread;
    const first = intAt(start, ofClass);
    for (let at = first; at < first + intAt(length, ofClass); at++) {
      const key = intAt(counters.key, intAt(pool, at));
      let isMissing = this.#isLabelMissing[key];
      if (isMissing === undefined) {
        isMissing = this.#nodes.present.some((present, node) => present === 1 && topology.domain[key]?.[node] === NONE);
        this.#isLabelMissing[key] = isMissing;
      }
      if (isMissing) return true;
    }
    return false;
  }

  /** The best candidates of a class: at least `length`, or all. */
  #candidatesOf(ofClass: number, length: number): Candidates {
    const { classes, requests } = this.#snapshot.columns;
    const key = intAt(classes.rule, ofClass) * requests.cpu.length + intAt(classes.requests, ofClass);
    let candidates = this.#candidates.get(key);
    if (candidates === undefined || (!candidates.complete && candidates.length < length)) {
      candidates = this.#rankBest(ofClass, length);
      this.#candidates.set(key, candidates);
    }
    return candidates;
  }

  /** The best candidates, by insertion into a short list: few of thousands of nodes are better than its last. */
  #rankBest(ofClass: number, size: number): Candidates {
    const nodes = new Int32Array(size);
    const bounds = new Float64Array(size);
    let length = 0;
    const allowed = this.#allowedOf(ofClass);
    let visited = 0;
    for (; visited < allowed.length; visited++) {
      const last = length === size ? floatAt(bounds, size - 1) : -Infinity;
      // A request never raises the score: no later node is better than the last of the list.
      if (floatAt(allowed.bounds, visited) < last) break;
      const node = intAt(allowed.nodes, visited);
      if (!this.#snapshot.hasResources(ofClass, node, this.#nodes)) continue;
      const bound = this.#boundOf(ofClass, node, true, this.#nodes);
      if (bound <= last) continue;
      let at = length === size ? size - 1 : length++;
      for (; at > 0 && floatAt(bounds, at - 1) < bound; at--) {
        nodes[at] = intAt(nodes, at - 1);
        bounds[at] = floatAt(bounds, at - 1);
      }
      nodes[at] = node;
      bounds[at] = bound;
    }
    return { nodes, bounds, length, complete: visited === allowed.length && length < size };
  }

  /** The nodes that a static rule allows, by their score without a request. */
  #allowedOf(ofClass: number): Candidates {
    const { classes, nodes } = this.#snapshot.columns;
    const rule = intAt(classes.rule, ofClass);
    let allowed = this.#allowed[rule];
    if (allowed === undefined) {
      const found: number[] = [];
      for (let node = 0; node < nodes.count; node++) {
        if (this.#nodes.present[node] === 1 && this.#snapshot.isAllowed(ofClass, node)) found.push(node);
      }
      this.#allowed[rule] = allowed = this.#sort(Int32Array.from(found), (node) => this.#boundOf(ofClass, node, false, this.#nodes));
    }
    return allowed;
  }

  /**
   * All candidates of a class and owner but those that their own pods refuse, by a bound that their own pods lower. Nodes that the
   * question has changed are taken as if they had no pods.
   */
  #ownCandidates(ofClass: number, owner: number): OwnCandidates {
    const { nodes: allowed } = this.#allowedOf(ofClass);
    const isChanged = (node: number): boolean => this.#touchedIn[node] === this.#question;
    const open = allowed.filter(
      (node) => this.#snapshot.hasResources(ofClass, node, this.#nodes) && (isChanged(node) || !this.#ownPods.refuse(ofClass, node)),
    );
    const siblingsOn = (node: number): number => (owner === NONE || isChanged(node) ? 0 : this.#snapshot.countOn(owner, node));
    const candidates = this.#sort(open, (node) =>
      this.#boundOf(ofClass, node, true, this.#nodes, siblingsOn(node), isChanged(node) ? 0 : this.#ownPods.weightOf(ofClass, node)),
    );
    return { ...candidates, minima: this.#ownPods.minimaOf(ofClass) };
  }

  #sort(nodes: Int32Array, boundOf: (node: number) => number): Candidates {
    const byNode = new Float64Array(this.#touchedIn.length);
    for (const node of nodes) byNode[node] = boundOf(node);
    const sorted = nodes.sort((a, b) => floatAt(byNode, b) - floatAt(byNode, a));
    return { nodes: sorted, bounds: Float64Array.from(sorted, (node) => floatAt(byNode, node)), length: nodes.length, complete: true };
  }

  /** The score of a node without what depends on other pods. @param nodes what is used of each node */
  #boundOf(
    ofClass: number,
    node: number,
    withRequest: boolean,
    nodes: Pick<NodeColumns, 'requested'>,
    siblings = 0,
    podTermWeight = 0,
  ): number {
    const { requests, classes } = this.#snapshot.columns;
    const id = intAt(classes.requests, ofClass);
    return combineScore({
      cpuShare: this.#shareOf(nodes, CPU, node, withRequest ? floatAt(requests.cpu, id) : 0),
      memoryShare: this.#shareOf(nodes, MEMORY, node, withRequest ? floatAt(requests.memory, id) : 0),
      siblings,
      softSpread: 0,
      hasUntoleratedPreference: this.#snapshot.hasUntoleratedPreference(ofClass, node),
      nodeTermWeight: this.#snapshot.nodeTermWeightOf(ofClass, node),
      podTermWeight,
    });
  }

  #shareOf({ requested }: Pick<NodeColumns, 'requested'>, resource: number, node: number, request: number): number {
    const { allocatable } = this.#snapshot.columns.nodes;
    return shareAfter(requested[resource]?.[node] ?? 0, request, allocatable[resource]?.[node] ?? 0);
  }
}

const NO_PARTS: ScoreParts = {
  ...{ cpuShare: 0, memoryShare: 0, siblings: 0, softSpread: 0 },
  ...{ hasUntoleratedPreference: false, nodeTermWeight: 0, podTermWeight: 0 },
};
