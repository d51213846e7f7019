// Label selectors of the API: parsed once per request and applied to every object.

import type { LabelRequirement, LabelSelector } from '#kube/label-selector';
import { isEveryRequirementMet, parseLabelQuery, requirementsOf } from '#kube/match-labels';
import { badRequest } from '../../api-error.ts';

type Labels = Readonly<Record<string, string>>;
export type LabelPredicate = (labels: Labels | undefined) => boolean;

const NONE: Labels = {};

/** The text form. null when it selects everything. Throws ApiStatusError 400 for an invalid selector. */
export function parseLabelSelector(text: string): LabelPredicate | null {
  const query = parseLabelQuery(text);
  if (!query.ok) throw badRequest(`unable to parse requirement: ${query.message}`);
  return predicateOf(query.value);
}

/** The object form (`spec.selector`). null where it selects everything, as an absent or empty one does. */
export function labelPredicate(selector: LabelSelector | undefined): LabelPredicate | null {
  return selector === undefined ? null : predicateOf(requirementsOf(selector));
}

function predicateOf(requirements: readonly LabelRequirement[]): LabelPredicate | null {
  return requirements.length === 0 ? null : (labels) => isEveryRequirementMet(requirements, labels ?? NONE);
}
