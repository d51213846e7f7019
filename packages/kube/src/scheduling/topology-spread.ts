import type { Labels, LabelSelector } from '../label-selector.ts';
import { matchesLabelSelector } from '../match-labels.ts';
import { matchesNodeAffinity } from './node-affinity.ts';
import { filterTaints } from './node-rules.ts';
import { final, resolvable, type Refusal } from './refusal.ts';
import type { SpreadConstraint } from '../pod-spec/spread-constraint.ts';
import { labelOf, type SchedulingNode, type SchedulingPod, type SchedulingView } from './scheduling-model.ts';

const TOO_SKEWED = resolvable("node(s) didn't match pod topology spread constraints");
const LABEL_MISSING = final("node(s) didn't match pod topology spread constraints (missing required label)");

interface Spread {
  readonly constraint: SpreadConstraint;
  /** Matching pods by domain; only domains that count. */
  readonly counts: Map<string, number>;
  readonly selfMatches: boolean;
  /** Of the emptiest domain; null: to be worked out again. */
  least: number | null;
}

/**
 * Hard topology spread of one pod: counted once over the whole cluster, then asked node by node. Only nodes that have all the
 * topology keys count as anybody's domain.
 */
export class TopologySpread {
  readonly #pod: SchedulingPod;
  readonly #spreads: readonly Spread[];

  constructor(pod: SchedulingPod, view: SchedulingView) {
    this.#pod = pod;
    this.#spreads = pod.spread
      .filter(({ hard }) => hard)
      .map((constraint) => ({ constraint, counts: new Map(), selfMatches: selects(constraint.selector, pod.labels), least: null }));
    if (this.#spreads.length > 0) for (const node of view.nodes) this.#countNode(node);
  }

  filter(node: SchedulingNode): Refusal | null {
    for (const spread of this.#spreads) {
      const domain = labelOf(node.labels, spread.constraint.topologyKey);
      if (domain === undefined) return LABEL_MISSING;
      const skew = (spread.counts.get(domain) ?? 0) + Number(spread.selfMatches) - minOf(spread);
      if (skew > spread.constraint.maxSkew) return TOO_SKEWED;
    }
    return null;
  }

  /** A pod comes to a node (1) or leaves it (−1). A pod on its way out is taken for one that counts, as kube-scheduler does. */
  update(other: SchedulingPod, node: SchedulingNode, change: 1 | -1): void {
    if (other.namespace !== this.#pod.namespace || !this.#hasAllKeys(node)) return;
    for (const spread of this.#spreads) {
      if (!selects(spread.constraint.selector, other.labels) || !isEligible(spread.constraint, this.#pod, node)) continue;
      const domain = labelOf(node.labels, spread.constraint.topologyKey) ?? '';
      spread.counts.set(domain, (spread.counts.get(domain) ?? 0) + change);
      spread.least = null;
    }
  }

  #countNode(node: SchedulingNode): void {
    if (!this.#hasAllKeys(node)) return;
    for (const { constraint, counts } of this.#spreads) {
      if (!isEligible(constraint, this.#pod, node)) continue;
      const domain = labelOf(node.labels, constraint.topologyKey) ?? '';
      counts.set(domain, (counts.get(domain) ?? 0) + countMatching(node, constraint.selector, this.#pod.namespace));
    }
  }

  #hasAllKeys(node: SchedulingNode): boolean {
    return this.#spreads.every(({ constraint }) => labelOf(node.labels, constraint.topologyKey) !== undefined);
  }
}

/** With fewer domains than asked for, the emptiest is one that is not there yet. */
function minOf(spread: Spread): number {
  if (spread.least === null) {
    spread.least = 0;
    if (spread.counts.size >= spread.constraint.minDomains) {
      let least = Infinity;
      for (const count of spread.counts.values()) least = Math.min(least, count);
      spread.least = least;
    }
  }
  return spread.least;
}

/** Pods of the namespace that a selector means, but those on their way out. The empty selector counts none. */
export function countMatching(node: SchedulingNode, selector: LabelSelector | null, namespace: string): number {
  if (selector === null || isEmpty(selector)) return 0;
  let count = 0;
  for (const other of node.pods.values()) {
    if (other.namespace === namespace && !other.terminating && matchesLabelSelector(selector, other.labels)) count++;
  }
  return count;
}

function isEmpty({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return (matchExpressions ?? []).length === 0 && Object.keys(matchLabels ?? {}).length === 0;
}

function selects(selector: LabelSelector | null, labels: Labels): boolean {
  return selector !== null && matchesLabelSelector(selector, labels);
}

/** Nodes that the pod could never use do not count as domains, by the constraint's policies. */
export function isEligible(constraint: SpreadConstraint, pod: SchedulingPod, node: SchedulingNode): boolean {
  if (constraint.honorAffinity && !matchesNodeAffinity(pod, node)) return false;
  return !constraint.honorTaints || filterTaints(pod, node) === null;
}
