// Scheduling rules of workloads as a packing keeps them. What it does not understand is a problem, not a guess.

import type { PodTerm } from '#kube/pod-spec/affinity';
import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import { TOPOLOGY_KEYS } from '../../../core/packing-rules/pod-groups.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../core/packing-rules/pool-shape.ts';

/** More pods than a node holds. */
const MAX_SKEW = 1_000_000;

/** Fields that restrict the nodes of a pod in a way that a packing does not keep. @param labelKeys that pools state */
export function unsupportedRules(rules: SchedulingRules, namespace: string, labelKeys: ReadonlySet<string>): string[] {
  const problems = [
    ...[...new Set(nodeKeysOf(rules))].filter((key) => !labelKeys.has(key)).map((key) => labelProblem(key)),
    ...rules.unmodelled.map((field) => `has ${field}, which is not supported; remove it`),
  ];
  if ((rules.nodeTerms ?? []).some(({ fields }) => fields.length > 0)) problems.push('has node affinity to a node by name; remove it');
  if (rules.ports.length > 0) problems.push('has host ports, which are not supported; use anti-affinity to its own pods instead');
  if (rules.disks.some(({ kind }) => kind !== 'other')) problems.push('mounts a disk by its name; use a PersistentVolumeClaim instead');
  if (rules.features.length > 0) problems.push(`needs the node feature ${rules.features.join(', ')}, which pools do not state; remove it`);
  return [...problems, ...unsupportedPodRules(rules, namespace)];
}

function unsupportedPodRules({ affinity, antiAffinity, spread }: SchedulingRules, namespace: string): string[] {
  const problems: string[] = [];
  const hardSpread = spread.filter(({ hard }) => hard);
  if (hardSpread.some(({ maxSkew }) => !(Number.isInteger(maxSkew) && maxSkew >= 1 && maxSkew <= MAX_SKEW)))
    problems.push(`has a hard topology spread whose maxSkew is not a whole number from 1 to ${MAX_SKEW}; correct it`);
  for (const [terms, name] of [
    [affinity, 'pod affinity'],
    [antiAffinity, 'anti-affinity'],
  ] as const) {
    if (terms.some((term) => !isOwnNamespace(term, namespace)))
      problems.push(`has ${name} to pods of other namespaces, which is not supported; select those of its own namespace alone`);
  }
  if (affinity.some(({ selector }) => selector === null))
    problems.push('has pod affinity without a labelSelector, which no pod meets; add one');
  for (const key of new Set([...affinity, ...antiAffinity, ...hardSpread].map(({ topologyKey }) => topologyKey))) {
    if (!TOPOLOGY_KEYS.includes(key))
      problems.push(`has a rule by ${key}; only rules by ${TOPOLOGY_KEYS.join(' and ')} are supported; remove it`);
  }
  return problems;
}

function labelProblem(key: string): string {
  if (key === HOSTNAME_LABEL) return 'selects a node by its host name, and the nodes of a packing are new; remove it';
  return `requires the node label ${key}, which no pool states; ${remedyFor(key)}, or remove the rule`;
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
