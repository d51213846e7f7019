import type { LabelSelector } from '#kube/label-selector';
import { isLabelSelectorMatch } from '#kube/match-labels';

const NO_LABELS: Readonly<Record<string, string>> = {};

/** As the API reads the selector of a workload or budget: an empty one matches everything, an absent one nothing. */
export function isSelectorMatch(selector: LabelSelector | null | undefined, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selector !== null && selector !== undefined && isLabelSelectorMatch(selector, labels ?? NO_LABELS);
}

/** True for `{}` and for one without any requirement. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}
