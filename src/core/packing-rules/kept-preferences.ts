// How many preferences of pods a packing keeps.

import type { Labels, LabelSelector } from '#kube/label-selector';
import { isLabelSelectorMatch } from '#kube/match-labels';
import { isNodeSelected } from './eligible-shapes.ts';
import type { RuledPods } from './pod-groups.ts';
import { HOSTNAME_LABEL } from './pool-shape.ts';

/** A pod with the labels of its node, `kubernetes.io/hostname` included. */
export interface PlacedPod {
  readonly workload: number;
  readonly nodeLabels: Labels;
}

export interface PreferenceCount {
  readonly kept: number;
  readonly total: number;
}

/**
 * Counts preferred node affinity, spreads with ScheduleAnyway and preferred anti-affinity, each once for each pod. A spread is kept where the
 * pod's domain has at most `maxSkew` more than the emptiest one, on hosts than none. @param pools labels of nodes, whose zones are the domains
 */
export function countPreferences(workloads: readonly RuledPods[], placed: readonly PlacedPod[], pools: readonly Labels[]): PreferenceCount {
  const podsOf = Map.groupBy(placed, ({ workload }) => workload);
  const byNamespace = Map.groupBy(workloads.keys(), (at) => workloads[at]?.namespace ?? '');
  let kept = 0;
  let total = 0;
  const count = (pods: readonly PlacedPod[], isKept: (pod: PlacedPod) => boolean): void => {
    total += pods.length;
    kept += pods.filter((pod) => isKept(pod)).length;
  };
  workloads.forEach(({ namespace, rules }, at) => {
    const pods = podsOf.get(at) ?? [];
    const countsBy = (key: string, selector: LabelSelector | null): Map<string, number> =>
      domainCounts(
        key,
        selected(selector, byNamespace.get(namespace) ?? [], workloads).flatMap((each) => podsOf.get(each) ?? []),
      );
    for (const { term } of rules.preferredNodeTerms) {
      count(pods, ({ nodeLabels }) => isNodeSelected({ nodeSelector: {}, nodeTerms: [term] }, nodeLabels));
    }
    for (const { topologyKey, selector, maxSkew } of rules.spread.filter(({ hard }) => !hard)) {
      const counts = countsBy(topologyKey, selector);
      const domains = pools.filter((labels) => isNodeSelected(rules, labels)).map((labels) => labels[topologyKey] ?? '');
      const fewest = topologyKey === HOSTNAME_LABEL ? 0 : Math.min(...domains.map((domain) => counts.get(domain) ?? 0));
      count(pods, ({ nodeLabels }) => (counts.get(nodeLabels[topologyKey] ?? '') ?? 0) - fewest <= maxSkew);
    }
    for (const { term } of rules.preferredAntiAffinity) {
      const counts = countsBy(term.topologyKey, term.selector);
      const isSelf = term.selector !== null && isLabelSelectorMatch(term.selector, workloads[at]?.labels ?? {});
      count(pods, ({ nodeLabels }) => (counts.get(nodeLabels[term.topologyKey] ?? '') ?? 0) <= Number(isSelf));
    }
  });
  return { kept, total };
}

function selected(selector: LabelSelector | null, candidates: readonly number[], workloads: readonly RuledPods[]): number[] {
  return selector === null ? [] : candidates.filter((at) => isLabelSelectorMatch(selector, workloads[at]?.labels ?? {}));
}

function domainCounts(key: string, pods: readonly PlacedPod[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { nodeLabels } of pods) {
    const domain = nodeLabels[key] ?? '';
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}
