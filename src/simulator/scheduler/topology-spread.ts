import { matchesLabelSelector } from '../../core/model/label-selector.ts';
import { filterTaints, matchesNodeAffinity, type FilterAnswer } from './node-filters.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView, SpreadConstraint } from './scheduling-model.ts';

interface Spread {
  readonly constraint: SpreadConstraint;
  /** Matching pods by domain; only domains that count. */
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
  readonly selfMatches: boolean;
}

/** Topology spread of one pod, counted once over the whole cluster, then asked node by node. */
export class TopologySpread {
  readonly #hard: readonly Spread[];
  readonly #soft: readonly Spread[];

  constructor(pod: SchedulingPod, view: SchedulingView) {
    const spreads = pod.spread.map((constraint) => countSpread(constraint, pod, view));
    this.#hard = spreads.filter(({ constraint }) => constraint.hard);
    this.#soft = spreads.filter(({ constraint }) => !constraint.hard);
  }

  filter(node: SchedulingNode): FilterAnswer {
    for (const { constraint, counts, least, selfMatches } of this.#hard) {
      const domain = node.labels[constraint.topologyKey];
      if (domain === undefined) return ["node(s) didn't match pod topology spread constraints (missing required label)"];
      if ((counts.get(domain) ?? 0) + Number(selfMatches) - least > constraint.maxSkew) {
        return ["node(s) didn't match pod topology spread constraints"];
      }
    }
    return null;
  }

  /** How many pods stand in the node's domains beyond the emptiest one, over all soft constraints; less is better. */
  crowding(node: SchedulingNode): number {
    let total = 0;
    for (const { constraint, counts, least } of this.#soft) total += (counts.get(node.labels[constraint.topologyKey] ?? '') ?? 0) - least;
    return total;
  }
}

function countSpread(constraint: SpreadConstraint, pod: SchedulingPod, view: SchedulingView): Spread {
  const { selector } = constraint;
  const selects = (labels: Readonly<Record<string, string>>): boolean => selector !== null && matchesLabelSelector(selector, labels);
  const counts = new Map<string, number>();
  for (const node of view.nodes) {
    const domain = node.labels[constraint.topologyKey];
    if (domain === undefined || !isEligible(constraint, pod, node)) continue;
    let count = counts.get(domain) ?? 0;
    for (const other of node.pods.values()) {
      if (other.namespace === pod.namespace && !other.terminating && selects(other.labels)) count++;
    }
    counts.set(domain, count);
  }
  const least = counts.size < constraint.minDomains ? 0 : Math.min(...counts.values());
  return { constraint, counts, least: Number.isFinite(least) ? least : 0, selfMatches: selects(pod.labels) };
}

/** Nodes that the pod could never use do not count as domains, by the constraint's policies. */
function isEligible(constraint: SpreadConstraint, pod: SchedulingPod, node: SchedulingNode): boolean {
  if (constraint.honorAffinity && !matchesNodeAffinity(pod, node)) return false;
  return !constraint.honorTaints || filterTaints(pod, node) === null;
}
