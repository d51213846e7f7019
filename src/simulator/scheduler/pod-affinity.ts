import type { FilterAnswer } from './node-filters.ts';
import { termSelects } from './pod-terms.ts';
import type { PodTerm, SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';

/** Inter-pod rules of one pod, worked out once over the whole cluster, then asked node by node. */
export class PodAffinityRules {
  /** For each required affinity term: the domains in which a pod of that kind runs. */
  readonly #wanted: readonly { readonly term: PodTerm; readonly domains: ReadonlySet<string> }[];
  readonly #avoided: readonly { readonly term: PodTerm; readonly domains: ReadonlySet<string> }[];
  /** Domains (`key=value`) that pods already running keep this one out of. */
  readonly #forbidden: ReadonlySet<string>;
  /** No pod anywhere is of the wanted kind, and this pod is itself: the first of a group may begin anywhere. */
  readonly #first: boolean;

  constructor(pod: SchedulingPod, view: SchedulingView) {
    const domainsOf = (term: PodTerm): ReadonlySet<string> => {
      const domains = new Set<string>();
      for (const node of view.nodes) {
        const domain = node.labels[term.topologyKey];
        if (domain === undefined || domains.has(domain)) continue;
        for (const other of node.pods.values()) {
          if (!termSelects(term, pod, other, view)) continue;
          domains.add(domain);
          break;
        }
      }
      return domains;
    };
    this.#wanted = pod.affinity.map((term) => ({ term, domains: domainsOf(term) }));
    this.#avoided = pod.antiAffinity.map((term) => ({ term, domains: domainsOf(term) }));
    this.#forbidden = forbiddenDomains(pod, view);
    this.#first = this.#wanted.every(({ term, domains }) => domains.size === 0 && termSelects(term, pod, pod, view));
  }

  filter(node: SchedulingNode): FilterAnswer {
    const holds = ({ term, domains }: { readonly term: PodTerm; readonly domains: ReadonlySet<string> }): boolean => {
      const domain = node.labels[term.topologyKey];
      return domain !== undefined && (this.#first || domains.has(domain));
    };
    if (!this.#wanted.every(holds)) return ["node(s) didn't match pod affinity rules"];
    const crowded = this.#avoided.some(({ term, domains }) => domains.has(node.labels[term.topologyKey] ?? ''));
    if (crowded) return ["node(s) didn't match pod anti-affinity rules"];
    for (const domain of this.#forbidden) {
      const [key = '', value = ''] = domain.split('\n');
      if (node.labels[key] === value) return ["node(s) didn't satisfy existing pods anti-affinity rules"];
    }
    return null;
  }
}

function forbiddenDomains(pod: SchedulingPod, view: SchedulingView): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const node of view.nodes) {
    for (const other of node.antiAffinePods.values()) {
      for (const term of other.antiAffinity) {
        const value = node.labels[term.topologyKey];
        if (value !== undefined && termSelects(term, other, pod, view)) domains.add(`${term.topologyKey}\n${value}`);
      }
    }
  }
  return domains;
}
