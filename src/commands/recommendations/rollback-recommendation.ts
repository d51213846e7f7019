import type { Operations } from '../../apis/http/types.generated.ts';
import type { ResizeMode } from '../../apis/conditions.ts';
import type { RecommendationStatus, RecommendationStatusRolledBack } from '../../apis/v1alpha1/index.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';
import { stateIntent, type ChangedRecommendation } from './recommendation-intent.ts';

/** Requests a roll-back to the values before the last change; automatic changes then stop for 24 hours. */
export const rollbackRecommendation: Command<OnWorkload<Operations['rollbackRecommendation']['body']>, ChangedRecommendation> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    const by = caller.scope.actor;
    return stateIntent(ports, caller, target, {
      action: 'RollBack',
      eventReason: COMMAND_EVENT.rollbackRequested,
      message: withReason(`${by} requested a roll-back to the values before the last change`, body?.reason),
      isChangingPods: () => true,
      findIneffectiveReason: withoutRollBack,
      decide: ({ spec, status }, now) => {
        const requestedAt = instantOf(spec.rollback?.at);
        if (requestedAt !== null && requestedAt !== instantOf(status?.lastRollbackRequestAt)) return null;
        if (!hasPrevious(status)) return { kind: 'conflict', message: describeNothingToRollBack(status?.rolledBack, now) };
        return { kind: 'patch', spec: { rollback: { by, at: isoTime(now) }, approved: null } };
      },
    });
  },
};

/** In mode Off a request would stay pending and take effect at a later change of the mode. */
export function withoutRollBack(mode: ResizeMode): string | null {
  return mode === 'Off' ? 'this mode changes nothing, so nothing would be rolled back. Set another mode first, then roll back.' : null;
}

/** Whether a change of the workload, or of the pods of one of its node classes, can be rolled back. */
export function hasPrevious(status: RecommendationStatus | undefined): boolean {
  return [status, ...(status?.classes ?? [])].some((each) => each?.previous !== undefined);
}

/** Why there is nothing to roll back. */
export function describeNothingToRollBack(rolledBack: RecommendationStatusRolledBack | undefined, now: Instant): string {
  if (rolledBack === undefined) return 'Nothing was changed yet, so there is nothing to roll back.';
  return `Already rolled back at ${rolledBack.at}${describeHold(rolledBack, now)}. Nothing was changed since.`;
}

function describeHold({ heldUntil }: RecommendationStatusRolledBack, now: Instant): string {
  const end = instantOf(heldUntil);
  if (end === null) return '';
  return end > now ? `; automatic changes are on hold until ${heldUntil}` : `; its hold ended at ${heldUntil}`;
}
