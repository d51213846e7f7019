import type { Labels } from '../label-selector.ts';
import { matchesRequirements } from '../match-labels.ts';
import { labelOf, type SchedulingNode, type SchedulingPod } from './scheduling-model.ts';
import type { NodeTerm } from '../pod-spec/affinity.ts';

/** Node selector and required node affinity together. */
export function matchesNodeAffinity(pod: SchedulingPod, node: SchedulingNode): boolean {
  for (const [key, value] of Object.entries(pod.nodeSelector)) if (labelOf(node.labels, key) !== value) return false;
  return pod.nodeTerms === null || pod.nodeTerms.some((term) => matchesNodeTerm(term, node));
}

export function matchesNodeTerm(term: NodeTerm, node: SchedulingNode): boolean {
  if (term.labels.length + term.fields.length === 0) return false;
  return matchesRequirements(term.labels, node.labels) && matchesRequirements(term.fields, { 'metadata.name': node.name });
}

/** Volumes are held against a node's labels alone: fields in their terms count for nothing. */
export function matchesAnyVolumeTerm(terms: readonly NodeTerm[], labels: Labels): boolean {
  return terms.some((term) => term.labels.length + term.fields.length > 0 && matchesRequirements(term.labels, labels));
}

/**
 * The nodes that required terms single out by name, as DaemonSets do; null when some term leaves every node open, the empty
 * set when the names contradict each other.
 */
export function namedNodes(terms: readonly NodeTerm[] | null): ReadonlySet<string> | null {
  if (terms === null || terms.length === 0) return null;
  const names = new Set<string>();
  for (const { fields } of terms) {
    const lists = fields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In').map(({ values }) => values);
    const [first, ...others] = lists;
    if (first === undefined) return null;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}
