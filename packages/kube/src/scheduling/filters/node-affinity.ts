import type { Labels } from '../../label-selector.ts';
import { isEveryRequirementMet } from '../../match-labels.ts';
import { labelOf, type SchedulingNode, type SchedulingPod } from '../scheduling-model.ts';
import type { NodeTerm } from '../../pod-spec/affinity.ts';

/** Whether a node matches node selector and required node affinity. */
export function isNodeAffinityMet(pod: SchedulingPod, node: SchedulingNode): boolean {
  for (const [key, value] of Object.entries(pod.nodeSelector)) if (labelOf(node.labels, key) !== value) return false;
  return pod.nodeTerms === null || pod.nodeTerms.some((term) => isNodeTermMet(term, node));
}

/** Whether a node matches a NodeSelectorTerm. */
export function isNodeTermMet(term: NodeTerm, node: SchedulingNode): boolean {
  if (term.labels.length + term.fields.length === 0) return false;
  return isEveryRequirementMet(term.labels, node.labels) && isEveryRequirementMet(term.fields, { 'metadata.name': node.name });
}

/** Whether a node's labels match a term of a volume; kube-scheduler ignores fields in terms of volumes. */
export function isAnyVolumeTermMet(terms: readonly NodeTerm[], labels: Labels): boolean {
  return terms.some((term) => term.labels.length + term.fields.length > 0 && isEveryRequirementMet(term.labels, labels));
}

/**
 * Node names of the required terms, as for DaemonSet pods; null: a term has no name, so that any node may match; empty: the names
 * conflict.
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
