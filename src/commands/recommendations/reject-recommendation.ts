import type { Operations } from '../../apis/http/types.generated.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { isoTime } from '#kube/time/iso-time';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';
import { stateIntent, type ChangedRecommendation } from './recommendation-intent.ts';
import { recommendedValues } from './recommended-values.ts';
import { findChangedValue } from './seen-values.ts';
import { isStillInForce } from './stored-request.ts';

/** Rejects the present values: they are not recommended again for 7 days unless they change. Removes an approval. */
export const rejectRecommendation: Command<OnWorkload<Operations['rejectRecommendation']['body']>, ChangedRecommendation> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    const by = caller.scope.actor;
    return stateIntent(ports, caller, target, {
      action: 'Reject',
      eventReason: COMMAND_EVENT.rejected,
      message: withReason(`${by} rejected the recommended values`, body?.reason),
      // Rejected values are not applied, and applied ones stay.
      isChangingPods: () => false,
      findIneffectiveReason: () => null,
      decide: ({ status, spec }, now) => {
        const containers = recommendedValues(status);
        if (containers.length === 0) return { kind: 'conflict', message: 'Nothing is recommended yet, so there is nothing to reject.' };
        const moved = body?.containers === undefined ? null : findChangedValue(body.containers, status?.containers ?? []);
        if (moved !== null)
          return { kind: 'conflict', message: `The recommended values have changed. ${moved} Read them and decide again.` };
        const isRejected = isStillInForce(spec.rejected, containers, undefined, now);
        if (isRejected && spec.approved === undefined) return null;
        return { kind: 'patch', spec: { rejected: { by, at: isoTime(now), containers }, approved: null } };
      },
    });
  },
};
