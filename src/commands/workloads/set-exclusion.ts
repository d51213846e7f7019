import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import { updateNotes } from '../../core/overrides/override-notes.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from '../recommendations/approve-recommendation.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';

const { exclude: EXCLUDE, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

/** Excludes one workload from right-sizing, or ends its exclusion. Returns the changed workload. */
export const setExclusion: Command<OnWorkload<{ readonly excluded: boolean; readonly reason?: string }>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'SetExclusion',
      decide: (workload, now) => {
        const before = workload.annotations[EXCLUDE] ?? null;
        const after = body.excluded ? 'true' : null;
        if (before === after) return { kind: 'same' };
        const by = caller.scope.actor;
        const changed = { [EXCLUDE]: after };
        return {
          kind: 'write',
          annotations: { ...changed, [NOTES]: updateNotes(workload.annotations, changed, { by, at: now, reason: body.reason ?? null }) },
          audit: {
            action: 'SetExclusion',
            eventReason: COMMAND_EVENT.exclusionSet,
            message: withReason(
              body.excluded ? `${by} excluded the workload from right-sizing` : `${by} ended the exclusion of the workload`,
              body.reason,
            ),
            before: { exclude: before },
            after: { exclude: after },
          },
        };
      },
    });
  },
};
