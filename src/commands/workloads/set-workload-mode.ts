import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { Operations } from '../../apis/http/types.generated.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import { updateNotes } from '../../core/overrides/override-notes.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from '../recommendations/approve-recommendation.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';

const { mode: MODE, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

/** Sets a workload's mode by its annotation `evenkeel.io/mode`; null restores the policy's mode. Returns the changed workload. */
export const setWorkloadMode: Command<OnWorkload<Operations['setRecommendationMode']['body']>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'SetMode',
      decide: (workload, now) => {
        const before = workload.annotations[MODE] ?? null;
        if (before === body.mode) return { kind: 'same' };
        const by = caller.scope.actor;
        const changed = { [MODE]: body.mode };
        const sentence = body.mode === null ? `${by} restored the policy's mode` : `${by} set the mode to ${body.mode}`;
        return {
          kind: 'write',
          annotations: { ...changed, [NOTES]: updateNotes(workload.annotations, changed, { by, at: now, reason: body.reason ?? null }) },
          audit: {
            action: 'SetMode',
            eventReason: COMMAND_EVENT.modeSet,
            message: withReason(sentence, body.reason),
            before: { mode: before },
            after: { mode: body.mode },
          },
        };
      },
    });
  },
};
