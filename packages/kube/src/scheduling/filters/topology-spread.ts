import type { Labels, LabelSelector } from '../../label-selector.ts';
import { isLabelSelectorMatch } from '../../match-labels.ts';
import { isNodeAffinityMet } from './node-affinity.ts';
import { filterTaints } from './node-rules.ts';
import { final, resolvable, type Refusal } from '../refusal.ts';
import type { SpreadConstraint } from '../../pod-spec/spread-constraint.ts';
import { labelOf, type SchedulingNode, type SchedulingPod, type SchedulingView } from '../scheduling-model.ts';

export const TOO_SKEWED = resolvable("node(s) didn't match pod topology spread constraints");
export const LABEL_MISSING = final("node(s) didn't match pod topology spread constraints (missing required label)");

interface Spread {
  readonly constraint: SpreadConstraint;
  /** Matching pods by eligible domain. */
  readonly counts: Map<string, number>;
  readonly selfMatches: boolean;
  /** Minimum over the domains; null: to be recomputed. */
  min: number | null;
}

/**
 * Spread constraints with DoNotSchedule of one pod: counts over the cluster, then a filter for each node. Only nodes with all
 * topology keys are eligible.
 */
export class TopologySpread {
  readonly #pod: SchedulingPod;
  readonly #spreads: readonly Spread[];

  constructor(pod: SchedulingPod, view: SchedulingView) {
    this.#pod = pod;
    this.#spreads = pod.spread
      .filter(({ hard }) => hard)
      .map((constraint) => ({ constraint, counts: new Map(), selfMatches: isSelected(constraint.selector, pod.labels), min: null }));
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

  /** Adds (1) or removes (−1) another pod on a node. Terminating pods count here, as in kube-scheduler. */
  update(other: SchedulingPod, node: SchedulingNode, change: 1 | -1): void {
    if (other.namespace !== this.#pod.namespace || !this.#hasAllKeys(node)) return;
    for (const spread of this.#spreads) {
      if (!isSelected(spread.constraint.selector, other.labels) || !isEligible(spread.constraint, this.#pod, node)) continue;
      const domain = labelOf(node.labels, spread.constraint.topologyKey) ?? '';
      spread.counts.set(domain, (spread.counts.get(domain) ?? 0) + change);
      spread.min = null;
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

/** Minimum over the domains; 0 with fewer than minDomains. */
function minOf(spread: Spread): number {
  if (spread.min === null) {
    spread.min = 0;
    if (spread.counts.size >= spread.constraint.minDomains) {
      let min = Infinity;
      for (const count of spread.counts.values()) min = Math.min(min, count);
      spread.min = min;
    }
  }
  return spread.min;
}

/** Count of selected pods of the namespace, without terminating ones. An empty selector selects none. */
export function countMatching(node: SchedulingNode, selector: LabelSelector | null, namespace: string): number {
  if (selector === null || isEmpty(selector)) return 0;
  let count = 0;
  for (const other of node.pods.values()) if (isCounted(other, selector, namespace)) count++;
  return count;
}

/** Whether a pod counts for a selector of the namespace. An empty selector selects none. */
export function isCounted(other: SchedulingPod, selector: LabelSelector | null, namespace: string): boolean {
  if (selector === null || isEmpty(selector)) return false;
  return other.namespace === namespace && !other.terminating && isLabelSelectorMatch(selector, other.labels);
}

function isEmpty({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return (matchExpressions ?? []).length === 0 && Object.keys(matchLabels ?? {}).length === 0;
}

/** Whether a selector matches the pod itself, which would add to its domain. */
export function isSelected(selector: LabelSelector | null, labels: Labels): boolean {
  return selector !== null && isLabelSelectorMatch(selector, labels);
}

/** Whether a node counts as a domain by nodeAffinityPolicy and nodeTaintsPolicy. */
export function isEligible(constraint: SpreadConstraint, pod: SchedulingPod, node: SchedulingNode): boolean {
  if (constraint.honorAffinity && !isNodeAffinityMet(pod, node)) return false;
  return !constraint.honorTaints || filterTaints(pod, node) === null;
}
