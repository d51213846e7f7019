import { OPERATOR_OF_TARGET } from '../core/access/requirement.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import { SIZE_ANNOTATIONS } from '../core/resource-audit/reset-request.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload, ReasonBody } from './command.ts';
import { COMMAND_EVENT } from './context.ts';

/** Takes away every annotation about sizes, whoever wrote it. Answers the workload without them. */
export const stripAnnotations: Command<OnWorkload<ReasonBody>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'StripAnnotations',
      decide: (workload) => {
        const there = SIZE_ANNOTATIONS.filter((annotation) => workload.annotations[annotation] !== undefined);
        if (there.length === 0) return { kind: 'same' };
        return {
          kind: 'write',
          annotations: Object.fromEntries(there.map((annotation) => [annotation, null])),
          audit: {
            action: 'StripAnnotations',
            eventReason: COMMAND_EVENT.annotationsStripped,
            message: withReason(`${caller.scope.actor} removed the annotations ${there.join(', ')}`, body.reason),
            before: Object.fromEntries(there.map((annotation) => [annotation, workload.annotations[annotation]])),
            after: {},
          },
        };
      },
    });
  },
};
