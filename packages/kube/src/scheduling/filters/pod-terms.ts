import type { Labels } from '../../label-selector.ts';
import { isLabelSelectorMatch } from '../../match-labels.ts';
import type { PodTerm } from '../../pod-spec/affinity.ts';
import type { SchedulingPod } from '../scheduling-model.ts';

const NO_LABELS: Labels = {};

/** Whether a term of the existing pod `of` selects `other`. A term without a selector selects no pod. */
export function isSelectedByTerm(term: PodTerm, of: SchedulingPod, other: SchedulingPod, namespaceLabels: Labels): boolean {
  if (term.selector === null || !isInNamespaces(term, of, other, namespaceLabels)) return false;
  return isLabelSelectorMatch(term.selector, other.labels);
}

/**
 * The same for a term of the incoming pod. kube-scheduler 1.36 lists the selected namespaces once, and then also matches the
 * selector against empty labels: a selector that matches a namespace without labels (`NotIn`, `DoesNotExist`) selects every one.
 */
export function isSelectedByIncomingTerm(term: PodTerm, of: SchedulingPod, other: SchedulingPod, namespaceLabels: Labels): boolean {
  if (isSelectedByTerm(term, of, other, namespaceLabels)) return true;
  const { selector, namespaceSelector } = term;
  if (selector === null || namespaceSelector === null || !isLabelSelectorMatch(namespaceSelector, NO_LABELS)) return false;
  return isLabelSelectorMatch(selector, other.labels);
}

function isInNamespaces(term: PodTerm, of: SchedulingPod, other: SchedulingPod, namespaceLabels: Labels): boolean {
  if (term.namespaces.includes(other.namespace)) return true;
  if (term.namespaceSelector !== null) return isLabelSelectorMatch(term.namespaceSelector, namespaceLabels);
  return term.namespaces.length === 0 && other.namespace === of.namespace;
}
