import type { WorkloadRecord } from '../core/model/workload.ts';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { SIZE_ANNOTATIONS } from '../core/resource-audit/reset-request.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from './approve-recommendation.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';
import type { CommandOutcome } from './outcome.ts';

/** Takes away every annotation about sizes, whoever wrote it. Answers the workload without them. */
export function stripAnnotations(
  ports: CommandPorts,
  caller: Caller,
  target: WorkloadTarget,
  reason?: string,
): Promise<CommandOutcome<WorkloadRecord>> {
  return annotateWorkload(ports, caller, target, {
    action: 'StripAnnotations',
    decide: (workload) => {
      const there = SIZE_ANNOTATIONS.filter((annotation) => workload.annotations[annotation] !== undefined);
      if (there.length === 0) return { kind: 'same' };
      return {
        kind: 'write',
        annotations: Object.fromEntries(there.map((annotation) => [annotation, null])),
        deed: {
          action: 'StripAnnotations',
          eventReason: COMMAND_EVENT.annotationsStripped,
          message: withReason(`${caller.scope.actor} removed the annotations ${there.join(', ')}`, reason),
          before: Object.fromEntries(there.map((annotation) => [annotation, workload.annotations[annotation]])),
          after: {},
        },
      };
    },
  });
}
