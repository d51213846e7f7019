// Rules between the pods of a group: apart (anti-affinity), spread, or together (affinity), on a node or in a zone. A rule is understood
// where all pods that it selects have it; others are problems, since a search that ignored them would make a wrong packing look right.

import type { Labels, LabelSelector } from '#kube/label-selector';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import { HOSTNAME_LABEL, ZONE_LABEL } from './pool-shape.ts';

export interface RuledPods {
  /** For messages. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly rules: SchedulingRules;
}

export interface GroupRule {
  /** Equal for workloads of one group. */
  readonly key: string;
  readonly scope: 'host' | 'zone';
  readonly kind: 'apart' | 'spread' | 'together';
  readonly selector: LabelSelector;
  /** Of a spread; else 1. */
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Whether zones count that node affinity, or taints, exclude. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/** The rules of the pods of one workload; null: none. */
export interface PodGroups {
  readonly host: GroupRule | null;
  readonly zone: GroupRule | null;
}

/** Whether rules between pods may have this topology key. */
export const TOPOLOGY_KEYS: readonly string[] = [HOSTNAME_LABEL, ZONE_LABEL];

/** The groups of each workload, or why they are not understood. @param daemons pods that are on every node, by name */
export function groupsOf(
  workloads: readonly RuledPods[],
  daemons: readonly Omit<RuledPods, 'rules'>[],
): readonly ({ readonly groups: PodGroups } | { readonly problem: string })[] {
  const rulesOf = workloads.map((workload) => groupRulesOf(workload));
  const byNamespace = Map.groupBy(workloads.keys(), (at) => workloads[at]?.namespace ?? '');
  const graph = new SelectedPods(workloads, rulesOf, byNamespace);
  return workloads.map((workload, at) => {
    const rules = rulesOf[at] ?? [];
    const problem = rules.length === 0 ? null : problemOf(rules, workload, daemons, graph, at);
    if (problem !== null) return { problem };
    const find = (scope: GroupRule['scope']): GroupRule | null => rules.find((rule) => rule.scope === scope) ?? null;
    return { groups: { host: find('host'), zone: find('zone') } };
  });
}

function groupRulesOf({ namespace, rules }: RuledPods): GroupRule[] {
  const term = { maxSkew: 1, minDomains: 1, honorsAffinity: true, honorsTaints: false };
  const all = [
    ...rules.antiAffinity.map((each) => ({ ...term, kind: 'apart' as const, topologyKey: each.topologyKey, selector: each.selector })),
    ...rules.affinity.map((each) => ({ ...term, kind: 'together' as const, topologyKey: each.topologyKey, selector: each.selector })),
    ...rules.spread
      .filter(({ hard }) => hard)
      .map((each) => ({
        kind: 'spread' as const,
        topologyKey: each.topologyKey,
        selector: each.selector,
        maxSkew: each.maxSkew,
        minDomains: each.minDomains,
        honorsAffinity: each.honorAffinity,
        honorsTaints: each.honorTaints,
      })),
  ];
  return all.flatMap(({ topologyKey, selector, ...rule }): GroupRule[] => {
    if (selector === null) return [];
    const scope = topologyKey === HOSTNAME_LABEL ? 'host' : 'zone';
    return [{ ...rule, scope, selector, key: JSON.stringify([namespace, scope, selector, rule]) }];
  });
}

function problemOf(
  rules: readonly GroupRule[],
  workload: RuledPods,
  daemons: readonly Omit<RuledPods, 'rules'>[],
  graph: SelectedPods,
  at: number,
): string | null {
  const daemon = daemons.find(({ namespace, labels }) => {
    return namespace === workload.namespace && rules.some(({ selector }) => isLabelSelectorMatch(selector, labels));
  });
  if (daemon !== undefined) return `has a rule that selects the pods of ${daemon.name}, which are on every node; select its own pods alone`;
  const others = rules.map((rule) => otherPodsProblem(rule, graph, at)).find((problem) => problem !== null);
  return others ?? combinationProblem(rules);
}

function combinationProblem(rules: readonly GroupRule[]): string | null {
  const has = (kind: GroupRule['kind'], ...scopes: readonly GroupRule['scope'][]): boolean =>
    rules.some((rule) => rule.kind === kind && scopes.includes(rule.scope));
  if ((has('together', 'host') && has('apart', 'host', 'zone')) || (has('together', 'zone') && has('apart', 'zone')))
    return 'its pod affinity and its anti-affinity contradict each other: no second pod of it can be placed; remove one';
  for (const [scope, name] of [
    ['host', 'hosts'],
    ['zone', 'zones'],
  ] as const) {
    if (rules.filter((rule) => rule.scope === scope).length > 1)
      return `has more than one rule between ${name} (affinity, anti-affinity, hard topology spread); keep one`;
  }
  if (has('together', 'host') && rules.length > 1) return 'has pod affinity on a host beside a rule between zones; keep one';
  return null;
}

const WORDS = { apart: 'anti-affinity', spread: 'topology spread', together: 'pod affinity' } as const;

/** Why a rule that concerns pods without the same rule is not understood. */
function otherPodsProblem(rule: GroupRule, graph: SelectedPods, at: number): string | null {
  const selected = graph.selectedBy(rule, at);
  const withRule = graph.withRule(rule, at);
  if (selected.length === withRule.length && selected.every((each, place) => each === withRule[place])) return null;
  const cycle = graph.cycleFrom(at, rule.kind);
  if (rule.kind === 'together' && cycle !== null) {
    return `its pod affinity is in a cycle (${cycle.join(' → ')}): each waits for a pod of the next, and none can be placed first; remove one`;
  }
  if (cycle !== null) {
    return `its ${WORDS[rule.kind]} is in a cycle (${cycle.join(' → ')}), which is not supported; give all of them one label and a rule that selects it`;
  }
  if (rule.kind === 'together' && selected.length === 0)
    return 'has required pod affinity to pods that are not in the file: none of its pods can be placed; add them, or remove it';
  const pods = selected.find((each) => !withRule.includes(each));
  const which = pods === undefined ? 'other pods than its own' : `pods that do not have the same rule (${graph.nameOf(pods)})`;
  return `its ${WORDS[rule.kind]} selects ${which}, which is not supported; select its own pods alone`;
}

/** Which workloads the rules of each select. */
class SelectedPods {
  readonly #workloads: readonly RuledPods[];
  readonly #rulesOf: readonly (readonly GroupRule[])[];
  readonly #byNamespace: ReadonlyMap<string, readonly number[]>;
  readonly #selected = new Map<string, readonly number[]>();
  readonly #withRule: ReadonlyMap<string, readonly number[]>;

  constructor(
    workloads: readonly RuledPods[],
    rulesOf: readonly (readonly GroupRule[])[],
    byNamespace: ReadonlyMap<string, readonly number[]>,
  ) {
    this.#workloads = workloads;
    this.#rulesOf = rulesOf;
    this.#byNamespace = byNamespace;
    const withRule = new Map<string, number[]>();
    rulesOf.forEach((rules, at) => {
      for (const key of new Set(rules.map((rule) => rule.key))) {
        const known = withRule.get(key);
        if (known === undefined) withRule.set(key, [at]);
        else known.push(at);
      }
    });
    this.#withRule = withRule;
  }

  nameOf(at: number): string {
    return this.#workloads[at]?.name ?? '';
  }

  /** Ascending. @param at the workload that has the rule */
  selectedBy(rule: GroupRule, at: number): readonly number[] {
    const known = this.#selected.get(rule.key);
    if (known !== undefined) return known;
    const candidates = this.#byNamespace.get(this.#workloads[at]?.namespace ?? '') ?? [];
    const selected = candidates.filter((each) => isLabelSelectorMatch(rule.selector, this.#workloads[each]?.labels ?? {}));
    this.#selected.set(rule.key, selected);
    return selected;
  }

  /** Ascending. */
  withRule(rule: GroupRule, at: number): readonly number[] {
    return this.#withRule.get(rule.key) ?? [at];
  }

  /** Names of workloads whose rules of a kind select the next one each, from the given one back to it; null: there is no such cycle. */
  cycleFrom(start: number, kind: GroupRule['kind']): string[] | null {
    const cameFrom = new Map<number, number>();
    const queue = [start];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const other of this.#othersOf(next, kind)) {
        if (other === start) return this.#pathTo(next, start, cameFrom);
        if (cameFrom.has(other)) continue;
        cameFrom.set(other, next);
        queue.push(other);
      }
    }
    return null;
  }

  #othersOf(at: number, kind: GroupRule['kind']): number[] {
    const rules = (this.#rulesOf[at] ?? []).filter((rule) => rule.kind === kind);
    return rules.flatMap((rule) => this.selectedBy(rule, at).filter((each) => each !== at));
  }

  #pathTo(last: number, start: number, cameFrom: ReadonlyMap<number, number>): string[] {
    const path = [start];
    for (let at: number | undefined = last; at !== undefined && at !== start; at = cameFrom.get(at)) path.unshift(at);
    return [start, ...path].map((at) => this.nameOf(at));
  }
}
