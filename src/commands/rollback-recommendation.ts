import type { Operations } from '../apis/http/types.generated.ts';
import { OPERATOR_OF_TARGET } from '../core/access/requirement.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload } from './command.ts';
import { COMMAND_EVENT } from './context.ts';
import { stateIntent, type ChangedRecommendation } from './recommendation-intent.ts';

/** Asks to go back to the values before the last change; nothing is then changed by itself for 24 hours. */
export const rollbackRecommendation: Command<OnWorkload<Operations['rollbackRecommendation']['body']>, ChangedRecommendation> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    const by = caller.scope.actor;
    return stateIntent(ports, caller, target, {
      action: 'RollBack',
      eventReason: COMMAND_EVENT.rollbackRequested,
      message: withReason(`${by} asked to go back to the values before the last change`, body?.reason),
      changesWorkload: () => true,
      whyIneffective: (mode) =>
        mode === 'Off' ? 'it is left alone, so nothing would go back. Set another mode first, then roll back.' : null,
      decide: ({ spec, status }, now) => {
        const asked = instantOf(spec.rollback?.at);
        const done = instantOf(status?.rolledBack?.at);
        const pending = asked !== null && (done === null || done < asked);
        if (pending) return null;
        if (status?.previous === undefined)
          return { kind: 'conflict', message: 'Nothing was changed yet, so there is nothing to go back to.' };
        return { kind: 'patch', spec: { rollback: { by, at: isoTime(now) }, approved: null } };
      },
    });
  },
};
