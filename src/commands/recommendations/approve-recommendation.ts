import type { ResizeMode } from '../../apis/conditions.ts';
import type { RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import type { Operations } from '../../apis/http/types.generated.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { isoTime } from '#kube/time/iso-time';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';
import { stateIntent, type ChangedRecommendation } from './recommendation-intent.ts';
import { recommendedValues } from './recommended-values.ts';
import { findChangedValue } from './seen-values.ts';
import { isStillInForce } from './stored-request.ts';

/** Approves the values that the user has read; refused where the recommended values have changed. */
export const approveRecommendation: Command<OnWorkload<Operations['approveRecommendation']['body']>, ChangedRecommendation> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    const by = caller.scope.actor;
    return stateIntent(ports, caller, target, {
      action: 'Approve',
      eventReason: COMMAND_EVENT.approved,
      message: withReason(`${by} approved the recommended values`, body.reason),
      isChangingPods: () => true,
      findIneffectiveReason: withoutApproval,
      decide: ({ status, spec }, now) => {
        const containers = recommendedValues(status);
        const blocker = findApprovalBlocker(status);
        if (blocker !== null) return { kind: 'conflict', message: blocker };
        if (containers.length === 0) return { kind: 'conflict', message: 'Nothing is recommended yet, so there is nothing to approve.' };
        const moved = findChangedValue(body.containers, status?.containers ?? []);
        if (moved !== null)
          return { kind: 'conflict', message: `The recommended values have changed. ${moved} Read them and approve again.` };
        if (spec.rejected === undefined && isStillInForce(spec.approved, containers, status, now)) return null;
        return { kind: 'patch', spec: { approved: { by, at: isoTime(now), containers }, rejected: null } };
      },
    });
  },
};

/** Only mode Approve waits for an approval; in another mode it would stay pending and take effect at a later change of the mode. */
export function withoutApproval(mode: ResizeMode): string | null {
  switch (mode) {
    case 'Approve':
      return null;
    case 'Auto':
      return 'its values are applied without an approval once nothing blocks them.';
    case 'Observe':
    case 'Recommend':
    case 'Off':
      return 'this mode applies nothing, so an approval would have no effect. Set the mode to Approve first, then approve.';
  }
}

/**
 * Why an approval would change nothing now, and perhaps surprise later; null: a change is due, or a user has rejected it. The message of
 * the status names what blocks the workload.
 */
export function findApprovalBlocker(status: RecommendationStatus | undefined): string | null {
  const { state, reason, message = '' } = status ?? {};
  const why = message === '' ? '' : `: ${message}`;
  if (state === 'blocked') return `The change is blocked${why}. Remove the cause, then approve.`;
  if (state === 'excluded') return `The workload is excluded${why}. End the exclusion, then approve.`;
  if (state === 'awaiting') return findWait(status, why);
  // The approval replaces the rejection.
  if (reason === 'rejected') return null;
  if (state === 'optimal' || state === 'applied') return `No change is due${why}. Approve once the Recommendation awaits approval.`;
  return null;
}

/** Why a change that waits would be carried out hours later, to the surprise of who approved it; null: it waits for nothing of that kind. */
function findWait({ reason, until }: RecommendationStatus = {}, why: string): string | null {
  switch (reason) {
    case 'hold':
    case 'rolled-back':
      return `The workload is on hold${until === undefined ? '' : ` until ${until}`}${why}. End the hold (evenkeel resume, or DELETE …/hold), then approve.`;
    case 'paused':
      return `Changes are paused${why}. End the pause, then approve.`;
    case 'dry-run':
      return `The workload's policy or the controller is in dry run${why}. End the dry run, then approve.`;
    case 'hpa':
      return `A HorizontalPodAutoscaler blocks the change${why}. Approve once it no longer does, or set mode Auto, in which its target follows the requests.`;
    default:
      return null;
  }
}

/** Appends the user's reason to a sentence. */
export function withReason(sentence: string, reason: string | undefined): string {
  return reason === undefined || reason === '' ? sentence : `${sentence}: ${reason}`;
}
