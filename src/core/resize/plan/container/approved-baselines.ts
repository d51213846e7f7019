// Approved baselines: limits that a user approved. No rule lowers them until the user approves another value, requests a roll-back,
// or deletes the Recommendation.

import { UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';
import { withAmount } from '../../model/container-values.ts';
import type { ResizeMemory } from '../../model/situation.ts';
import type { LimitException } from '../../model/limit-exception.ts';

/** Lower bounds of a container's limits. */
export function approvedBaselinesOf(container: string, exceptions: readonly LimitException[]): OptionalResources {
  return exceptions.reduce(
    (least, each) =>
      each.container === container && each.approvedBaseline !== null
        ? withAmount(least, each.resource, each.approvedBaseline.value)
        : least,
    UNSET_RESOURCES,
  );
}

/** Removes the approved baseline of an exception where the user requested a roll-back after the approval. */
export function dropRevertedBaseline(exception: LimitException, rolledBack: ResizeMemory['rolledBack']): LimitException {
  const { approvedBaseline } = exception;
  const askedAt = rolledBack?.requestedAt ?? null;
  return approvedBaseline === null || askedAt === null || askedAt < approvedBaseline.at
    ? exception
    : { ...exception, approvedBaseline: null };
}
