import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { updateNotes } from '../../core/overrides/override-notes.ts';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { instantOf, isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import { annotateWorkload, type AnnotationPlan } from './annotate-workload.ts';
import { holdOf } from './reset-to-deploy.ts';
import { withReason } from '../recommendations/approve-recommendation.ts';
import type { AuditEntry } from '../audit.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT, type Caller } from '../context.ts';

const { heldUntil: HELD, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

/** Holds a workload for a time by its annotation `evenkeel.io/held-until`: no change starts, and the one under way ends. */
export const holdWorkload: Command<OnWorkload<{ readonly for?: string; readonly reason?: string }>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'Hold',
      decide: (workload, now) => {
        const holdMs = holdOf(body.for);
        if (typeof holdMs !== 'number') return holdMs;
        const until = isoTime(now + holdMs);
        const sentence = `${caller.scope.actor} holds the workload: no automatic change before ${until}`;
        return planOf(workload, until, now, caller, {
          action: 'Hold',
          eventReason: COMMAND_EVENT.held,
          message: withReason(sentence, body.reason),
          reason: body.reason,
        });
      },
    });
  },
};

/**
 * Ends the hold of a user and that of a roll-back. A hold after a roll-back is in the Recommendation's status, so the annotation is set to
 * the present time, which ends it; without one the annotation is removed.
 */
export const endHold: Command<OnWorkload<unknown>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target }) {
    return annotateWorkload(ports, caller, target, {
      action: 'EndHold',
      decide: (workload, now) => {
        const isAfterRollBack = isHeldAfterRollBack(ports.cluster.findRecommendation(workloadKey(workload))?.status, now);
        if (!isAfterRollBack && !isHeldByAnnotation(workload.annotations[HELD], now)) return { kind: 'same' };
        const sentence = `${caller.scope.actor} ended the hold: automatic changes are allowed again`;
        const value = isAfterRollBack ? isoTime(now) : null;
        return planOf(workload, value, now, caller, { action: 'EndHold', eventReason: COMMAND_EVENT.holdEnded, message: sentence });
      },
    });
  },
};

/** Whether a roll-back holds the workload, or the pods of one of its node classes. */
export function isHeldAfterRollBack(status: RecommendationStatus | undefined, now: Instant): boolean {
  const rollBacks = [status, ...(status?.classes ?? [])].map((each) => instantOf(each?.rolledBack?.heldUntil));
  return rollBacks.some((heldUntil) => heldUntil !== null && heldUntil > now);
}

/** Whether the annotation evenkeel.io/held-until holds a workload. One that cannot be read blocks it. */
export function isHeldByAnnotation(value: string | null | undefined, now: Instant): boolean {
  return value !== null && value !== undefined && (instantOf(value) ?? Infinity) > now;
}

function planOf(
  workload: WorkloadRecord,
  heldUntil: string | null,
  now: Instant,
  { scope }: Caller,
  { reason, ...audit }: Pick<AuditEntry, 'action' | 'eventReason' | 'message'> & { readonly reason?: string | undefined },
): AnnotationPlan {
  const changed = { [HELD]: heldUntil };
  return {
    kind: 'write',
    annotations: { ...changed, [NOTES]: updateNotes(workload.annotations, changed, { by: scope.actor, at: now, reason: reason ?? null }) },
    audit: {
      ...audit,
      before: { heldUntil: workload.annotations[HELD] ?? null },
      after: { heldUntil },
    },
  };
}
