import type { Operations } from '../../apis/http/types.generated.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';
import { stateIntent, type ChangedRecommendation } from './recommendation-intent.ts';

/** Requests that an idled workload be restored to its natural size. */
export const wakeWorkload: Command<OnWorkload<Operations['wakeWorkload']['body']>, ChangedRecommendation> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    const by = caller.scope.actor;
    return stateIntent(ports, caller, target, {
      action: 'Wake',
      eventReason: COMMAND_EVENT.wakeRequested,
      message: withReason(`${by} requested its natural size`, body?.reason),
      isChangingPods: () => true,
      findIneffectiveReason: () => null,
      decide: ({ spec, status }, now) => {
        const since = instantOf(status?.idle?.since);
        if (since === null) return { kind: 'conflict', message: 'The workload is not idled, so there is nothing to wake.' };
        const requestedAt = instantOf(spec.wake?.at);
        if (status?.idle?.wakeStartedAt !== undefined || (requestedAt !== null && requestedAt >= since)) return null;
        return { kind: 'patch', spec: { wake: { by, at: isoTime(now), ...(body?.reason === undefined ? {} : { reason: body.reason }) } } };
      },
    });
  },
};
