import type { SpreadConstraint } from '../../pod-spec/spread-constraint.ts';
import { labelOf, type SchedulingNode, type SchedulingPod, type SchedulingView } from '../scheduling-model.ts';
import { countMatching, isEligible } from './topology-spread.ts';

/** Spread constraints with ScheduleAnyway, which score nodes. */
export class SoftSpread {
  readonly #counts: readonly { readonly key: string; readonly byDomain: ReadonlyMap<string, number>; readonly min: number }[];

  constructor(pod: SchedulingPod, view: SchedulingView) {
    this.#counts = pod.spread
      .filter(({ hard }) => !hard)
      .map((constraint) => {
        const byDomain = countDomains(constraint, pod, view);
        return { key: constraint.topologyKey, byDomain, min: byDomain.size === 0 ? 0 : Math.min(...byDomain.values()) };
      });
  }

  /** Pods in the node's domains above the minimum domain, summed over all constraints; lower is better. */
  countMatchingPods(node: SchedulingNode): number {
    let total = 0;
    for (const { key, byDomain, min } of this.#counts) total += (byDomain.get(labelOf(node.labels, key) ?? '') ?? 0) - min;
    return total;
  }
}

function countDomains(constraint: SpreadConstraint, pod: SchedulingPod, view: SchedulingView): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of view.nodes) {
    const domain = labelOf(node.labels, constraint.topologyKey);
    if (domain === undefined || !isEligible(constraint, pod, node)) continue;
    counts.set(domain, (counts.get(domain) ?? 0) + countMatching(node, constraint.selector, pod.namespace));
  }
  return counts;
}
