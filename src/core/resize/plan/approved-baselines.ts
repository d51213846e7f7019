// Limits that a person has approved as the new normal: no rule takes them back. One holds until a person changes it: approves
// another value, asks for a roll-back, or deletes the Recommendation.

import { UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';
import { withAmount } from '../model/container-values.ts';
import type { ResizeMemory } from '../model/situation.ts';
import type { LimitException } from '../model/limit-exception.ts';

/** The least that a container's limits may be. */
export function approvedBaselinesOf(container: string, exceptions: readonly LimitException[]): OptionalResources {
  return exceptions.reduce(
    (least, each) =>
      each.container === container && each.approvedBaseline !== null
        ? withAmount(least, each.resource, each.approvedBaseline.value)
        : least,
    UNSET_RESOURCES,
  );
}

/** Nothing holds what a person has asked to be taken back since. */
export function withoutTakenBack(exception: LimitException, rolledBack: ResizeMemory['rolledBack']): LimitException {
  const { approvedBaseline } = exception;
  const askedAt = rolledBack?.requestedAt ?? null;
  return approvedBaseline === null || askedAt === null || askedAt < approvedBaseline.at
    ? exception
    : { ...exception, approvedBaseline: null };
}
