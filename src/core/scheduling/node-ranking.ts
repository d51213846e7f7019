import { combineScore, shareAfter, type ScoreParts } from '#kube/scheduling/score-node';
import { FITS, type SchedulingSnapshot } from './scheduling-snapshot.ts';
import { copyArrays, floatAt, intAt } from './shared-arrays.ts';
import { CPU, MEMORY, NONE, type NodeColumns } from './snapshot-columns.ts';

/** Best candidates that are kept of a list at first. Most pods fit on one of the first few. */
export const SHORT_LENGTH = 32;
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

/**
 * Selects the best node of many questions about one snapshot: "what if some pods were elsewhere". Candidates are ranked once for each
 * request and static rule by a bound of their score; a question walks the ranking until no further node can be better. Nodes that the
 * question has changed are looked at by themselves.
 */
export class NodeRanking {
  /** Score of the last selected node. */
  score = -Infinity;
  readonly #snapshot: SchedulingSnapshot;
  readonly #shortLength: number;
  /** Nodes before all questions. */
  readonly #nodes: Pick<NodeColumns, 'present' | 'requested' | 'podCount'>;
  readonly #candidates = new Map<number, Candidates>();
  readonly #softBonus = new Map<number, boolean>();
  #touched: number[] = [];
  /** Question in which each node was last touched. */
  #touchedIn: Int32Array;
  #question = 0;

  /** @param shortLength candidates that are ranked at first */
  constructor(snapshot: SchedulingSnapshot, shortLength: number) {
    this.#shortLength = shortLength;
    this.#snapshot = snapshot;
    const { present, requested, podCount } = snapshot.columns.nodes;
    this.#nodes = copyArrays({ present, requested, podCount });
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
    for (const node of this.#touched) consider(node);
    const bonus = this.#bonusOf(ofClass) + ROUNDING;
    let candidates = this.#candidatesOf(ofClass, false);
    for (let at = 0; ; at++) {
      if (at >= candidates.length) {
        if (candidates.complete) break;
        candidates = this.#candidatesOf(ofClass, true);
      }
      if (floatAt(candidates.bounds, at) + bonus < bestScore) break;
      const node = intAt(candidates.nodes, at);
      if (this.#touchedIn[node] !== this.#question) consider(node);
    }
    this.score = bestScore;
    return best;
  }

  /** How much a node's score may exceed its bound. */
  #bonusOf(ofClass: number): number {
    const { classes } = this.#snapshot.columns;
    const soft = intAt(classes.softSpread.length, ofClass) > 0 && this.#hasNodesWithoutLabel(ofClass);
    const softSpread = soft ? -this.#snapshot.sumSoftMinima(ofClass) : 0;
    const podTermWeight = intAt(classes.preferred.length, ofClass) > 0 ? this.#snapshot.maxPodTermWeightOf(ofClass) : 0;
    return combineScore({ ...NO_PARTS, softSpread, podTermWeight }) - combineScore(NO_PARTS);
  }

  /** Whether a node that the class may use has no label of one of its soft spread constraints, so that none of its pods count there. */
  #hasNodesWithoutLabel(ofClass: number): boolean {
    let known = this.#softBonus.get(ofClass);
    if (known === undefined) {
      known = this.#snapshot.hasNodesWithoutSoftLabel(ofClass);
      this.#softBonus.set(ofClass, known);
    }
    return known;
  }

  #candidatesOf(ofClass: number, complete: boolean): Candidates {
    const { classes, requests } = this.#snapshot.columns;
    const key = intAt(classes.rule, ofClass) * requests.cpu.length + intAt(classes.requests, ofClass);
    const known = this.#candidates.get(key);
    if (known !== undefined && (known.complete || !complete)) return known;
    const made = complete ? this.#rankAll(ofClass) : this.#rankBest(ofClass);
    this.#candidates.set(key, made);
    return made;
  }

  /** The best candidates, by insertion into a short list: few of thousands of nodes are better than its last. */
  #rankBest(ofClass: number): Candidates {
    const size = this.#shortLength;
    const nodes = new Int32Array(size);
    const bounds = new Float64Array(size);
    let length = 0;
    let complete = true;
    for (let node = 0; node < this.#snapshot.columns.nodes.count; node++) {
      if (!this.#isCandidate(ofClass, node)) continue;
      const bound = this.#boundOf(ofClass, node);
      if (length === size) {
        complete = false;
        if (bound <= floatAt(bounds, size - 1)) continue;
      }
      let at = length === size ? size - 1 : length++;
      for (; at > 0 && floatAt(bounds, at - 1) < bound; at--) {
        nodes[at] = intAt(nodes, at - 1);
        bounds[at] = floatAt(bounds, at - 1);
      }
      nodes[at] = node;
      bounds[at] = bound;
    }
    return { nodes, bounds, length, complete };
  }

  #rankAll(ofClass: number): Candidates {
    const found: { readonly node: number; readonly bound: number }[] = [];
    for (let node = 0; node < this.#snapshot.columns.nodes.count; node++) {
      if (this.#isCandidate(ofClass, node)) found.push({ node, bound: this.#boundOf(ofClass, node) });
    }
    found.sort((a, b) => b.bound - a.bound);
    return {
      nodes: Int32Array.from(found, ({ node }) => node),
      bounds: Float64Array.from(found, ({ bound }) => bound),
      ...{ length: found.length, complete: true },
    };
  }

  #isCandidate(ofClass: number, node: number): boolean {
    const snapshot = this.#snapshot;
    return this.#nodes.present[node] === 1 && snapshot.isAllowed(ofClass, node) && snapshot.hasResources(ofClass, node, this.#nodes);
  }

  #boundOf(ofClass: number, node: number): number {
    const { requests, classes } = this.#snapshot.columns;
    const id = intAt(classes.requests, ofClass);
    return combineScore({
      ...{ siblings: 0, softSpread: 0, podTermWeight: 0 },
      cpuShare: this.#shareOf(CPU, node, floatAt(requests.cpu, id)),
      memoryShare: this.#shareOf(MEMORY, node, floatAt(requests.memory, id)),
      hasUntoleratedPreference: this.#snapshot.hasUntoleratedPreference(ofClass, node),
      nodeTermWeight: this.#snapshot.nodeTermWeightOf(ofClass, node),
    });
  }

  #shareOf(resource: number, node: number, request: number): number {
    const { allocatable } = this.#snapshot.columns.nodes;
    return shareAfter(this.#nodes.requested[resource]?.[node] ?? 0, request, allocatable[resource]?.[node] ?? 0);
  }
}

const NO_PARTS: ScoreParts = {
  ...{ cpuShare: 0, memoryShare: 0, siblings: 0, softSpread: 0 },
  ...{ hasUntoleratedPreference: false, nodeTermWeight: 0, podTermWeight: 0 },
};
