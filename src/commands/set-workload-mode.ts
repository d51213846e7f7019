import { WORKLOAD_ANNOTATIONS } from '../apis/annotations.ts';
import type { Operations } from '../apis/http/types.generated.ts';
import type { WorkloadRecord } from '../core/model/workload.ts';
import { notesAfter } from '../core/overrides/override-notes.ts';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from './approve-recommendation.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';
import type { CommandOutcome } from './outcome.ts';

const { mode: MODE, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

/** Sets one workload's mode by its annotation `evenkeel.io/mode`; null goes back to the policy's. Answers the workload with it. */
export function setWorkloadMode(
  ports: CommandPorts,
  caller: Caller,
  target: WorkloadTarget,
  body: Operations['setRecommendationMode']['body'],
): Promise<CommandOutcome<WorkloadRecord>> {
  return annotateWorkload(ports, caller, target, {
    action: 'SetMode',
    decide: (workload, now) => {
      const before = workload.annotations[MODE] ?? null;
      if (before === body.mode) return { kind: 'same' };
      const by = caller.scope.actor;
      const changed = { [MODE]: body.mode };
      const sentence = body.mode === null ? `${by} went back to the policy's mode` : `${by} set the mode to ${body.mode}`;
      return {
        kind: 'write',
        annotations: { ...changed, [NOTES]: notesAfter(workload.annotations, changed, { by, at: now, reason: body.reason ?? null }) },
        deed: {
          action: 'SetMode',
          eventReason: COMMAND_EVENT.modeSet,
          message: withReason(sentence, body.reason),
          before: { mode: before },
          after: { mode: body.mode },
        },
      };
    },
  });
}
