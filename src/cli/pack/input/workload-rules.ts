// Scheduling rules of workloads as a packing keeps them. What it does not understand is a problem, not a guess.

import type { PodTerm } from '#kube/pod-spec/affinity';
import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { Labels, LabelSelector } from '#kube/label-selector';
import type { PodGroup } from '../../../core/packing/packing-problem.ts';
import { HOSTNAME_LABEL as HOSTNAME, ZONE_LABEL } from '../../../core/packing-rules/pool-shape.ts';

export interface WorkloadRules {
  readonly namespace: string;
  /** Labels of its pods. */
  readonly labels: Labels;
  readonly rules: SchedulingRules;
}

/** More pods than a node holds. */
const MAX_SKEW = 1_000_000;

/** Fields that restrict the nodes of a pod in a way that a packing does not keep. @param labelKeys that pools state */
export function unsupportedRules(rules: SchedulingRules, namespace: string, labelKeys: ReadonlySet<string>): string[] {
  const problems = [
    ...[...new Set(nodeKeysOf(rules))]
      .filter((key) => !labelKeys.has(key))
      .map((key) => `requires the node label ${key}, which no pool states; ${remedyFor(key)}, or remove the rule`),
    ...rules.unmodelled.map((field) => `has ${field}, which is not supported; remove it`),
  ];
  if ((rules.nodeTerms ?? []).some(({ fields }) => fields.length > 0)) problems.push('has node affinity to a node by name; remove it');
  if (rules.affinity.length > 0) problems.push('has required pod affinity, which is not supported; remove it');
  if (rules.ports.length > 0) problems.push('has host ports, which are not supported; use anti-affinity to its own pods instead');
  if (rules.spread.some(({ hard, maxSkew }) => hard && !(Number.isInteger(maxSkew) && maxSkew >= 1 && maxSkew <= MAX_SKEW)))
    problems.push(`has a hard topology spread whose maxSkew is not a whole number from 1 to ${MAX_SKEW}; correct it`);
  if (rules.antiAffinity.some((term) => !isOwnNamespace(term, namespace)))
    problems.push('has anti-affinity to pods of other namespaces, which is not supported; select those of its own namespace alone');
  for (const key of new Set([...rules.antiAffinity, ...rules.spread.filter(({ hard }) => hard)].map(({ topologyKey }) => topologyKey))) {
    if (key !== HOSTNAME)
      problems.push(`has a rule by ${key}; only rules by ${HOSTNAME} are supported, since pools have no zones; remove it`);
  }
  return problems;
}

/** How a pools file states a label. */
function remedyFor(key: string): string {
  if (key === ZONE_LABEL) return 'add the column zone';
  if (key.includes('capacity')) return 'add the column capacity_type';
  return `add ${key}=VALUE to the column labels`;
}

function isOwnNamespace({ namespaces, namespaceSelector }: PodTerm, namespace: string): boolean {
  return namespaceSelector === null && namespaces.every((each) => each === namespace);
}

function nodeKeysOf({ nodeSelector, nodeTerms }: SchedulingRules): string[] {
  return [...Object.keys(nodeSelector), ...(nodeTerms ?? []).flatMap(({ labels }) => labels.map(({ key }) => key))];
}

/** A rule about pods on one node: at most so many of those that the selector selects. */
interface HostRule {
  readonly key: string;
  readonly perNode: number;
  readonly isNecessary: boolean;
  readonly namespace: string;
  readonly selector: LabelSelector;
}

/**
 * The group of each workload: by anti-affinity or a hard spread between hosts. At most `maxSkew` pods on a node keep a spread, wherever the
 * others are. A rule is supported where all pods that it selects have it, and a workload has one.
 */
export function groupsOf(
  workloads: readonly WorkloadRules[],
): readonly ({ readonly group: PodGroup | null } | { readonly problem: string })[] {
  const rulesOf = workloads.map((workload) => hostRulesOf(workload));
  return rulesOf.map((rules) => {
    const [rule, ...others] = rules;
    if (rule === undefined) return { group: null };
    if (others.length > 0) return { problem: 'has more than one rule between hosts (anti-affinity, hard topology spread); keep one' };
    const selected = workloads.map((each) => each.namespace === rule.namespace && isLabelSelectorMatch(rule.selector, each.labels));
    const differs = workloads.findIndex((_, at) => selected[at] !== rulesOf[at]?.some(({ key }) => key === rule.key));
    if (differs < 0) return { group: { name: rule.key, perNode: rule.perNode, isNecessary: rule.isNecessary } };
    return {
      problem: 'its anti-affinity or spread selects pods that do not have the same rule, which is not supported; select its own pods alone',
    };
  });
}

function hostRulesOf({ namespace, rules }: WorkloadRules): HostRule[] {
  const terms = rules.antiAffinity.map((term: PodTerm) => ({ selector: term.selector, perNode: 1, isNecessary: true }));
  const spreads = rules.spread
    .filter(({ hard }) => hard)
    .map(({ selector, maxSkew }) => ({ selector, perNode: maxSkew, isNecessary: false }));
  return [...terms, ...spreads].flatMap(({ selector, ...limit }) =>
    selector === null ? [] : [{ key: JSON.stringify([namespace, selector, limit]), ...limit, namespace, selector }],
  );
}
