import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import { SIZE_ANNOTATIONS } from '../../core/resource-audit/reset-request.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from '../recommendations/approve-recommendation.ts';
import type { Command, OnWorkload, ReasonBody } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';

/** Removes all size annotations, whichever client wrote them. Returns the changed workload. */
export const stripAnnotations: Command<OnWorkload<ReasonBody>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'StripAnnotations',
      decide: (workload) => {
        const present = SIZE_ANNOTATIONS.filter((annotation) => workload.annotations[annotation] !== undefined);
        if (present.length === 0) return { kind: 'same' };
        return {
          kind: 'write',
          annotations: Object.fromEntries(present.map((annotation) => [annotation, null])),
          audit: {
            action: 'StripAnnotations',
            eventReason: COMMAND_EVENT.annotationsStripped,
            message: withReason(`${caller.scope.actor} removed the annotations ${present.join(', ')}`, body.reason),
            before: Object.fromEntries(present.map((annotation) => [annotation, workload.annotations[annotation]])),
            after: {},
          },
        };
      },
    });
  },
};
