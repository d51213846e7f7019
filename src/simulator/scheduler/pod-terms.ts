import { matchesLabelSelector } from '../../core/model/label-selector.ts';
import type { PodTerm, SchedulingPod, SchedulingView } from './scheduling-model.ts';

/** Whether `other` is one of the pods that a term of `of` speaks about. A term without selector speaks about none. */
export function termSelects(
  term: PodTerm,
  of: SchedulingPod,
  other: SchedulingPod,
  view: Pick<SchedulingView, 'namespaceLabels'>,
): boolean {
  if (term.selector === null || !matchesLabelSelector(term.selector, other.labels)) return false;
  if (term.namespaces.includes(other.namespace)) return true;
  if (term.namespaceSelector !== null) return matchesLabelSelector(term.namespaceSelector, view.namespaceLabels(other.namespace));
  return term.namespaces.length === 0 && other.namespace === of.namespace;
}
