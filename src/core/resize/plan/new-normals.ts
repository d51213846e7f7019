// Limits that a person has approved as the new normal: no rule takes them back. One holds until a person changes it: approves
// another value, asks for a roll-back, or deletes the Recommendation.

import { UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';
import { withAmount } from '../model/container-values.ts';
import type { ResizeMemory } from '../model/situation.ts';
import type { LimitException } from '../model/limit-exception.ts';

/** The least that a container's limits may be. */
export function newNormalsOf(container: string, exceptions: readonly LimitException[]): OptionalResources {
  return exceptions.reduce(
    (least, each) =>
      each.container === container && each.newNormal !== null ? withAmount(least, each.resource, each.newNormal.value) : least,
    UNSET_RESOURCES,
  );
}

/** Nothing holds what a person has asked to be taken back since. */
export function withoutTakenBack(exception: LimitException, rolledBack: ResizeMemory['rolledBack']): LimitException {
  const { newNormal } = exception;
  const askedAt = rolledBack?.requestedAt ?? null;
  return newNormal === null || askedAt === null || askedAt < newNormal.at ? exception : { ...exception, newNormal: null };
}
