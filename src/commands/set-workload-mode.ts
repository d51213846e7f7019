import { WORKLOAD_ANNOTATIONS } from '../apis/annotations.ts';
import type { Operations } from '../apis/http/types.generated.ts';
import { workloadPath, type WorkloadRecord } from '../core/model/workload.ts';
import { resolveWorkload, type WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { withReason } from './approve-recommendation.ts';
import { recordDeed } from './audit.ts';
import { COMMAND_EVENT, FIELD_MANAGER, type Caller, type CommandPorts } from './context.ts';
import { refusalOf, type CommandOutcome } from './outcome.ts';

/** Sets one workload's mode by its annotation `evenkeel.io/mode`; null goes back to the policy's. Answers the workload with it. */
export async function setWorkloadMode(
  ports: CommandPorts,
  caller: Caller,
  target: WorkloadTarget,
  body: Operations['setRecommendationMode']['body'],
): Promise<CommandOutcome<WorkloadRecord>> {
  const resolved = resolveWorkload(ports.cluster, caller.scope, target);
  if (resolved.kind !== 'workload') return resolved;
  const { workload } = resolved;
  const before = workload.annotations[WORKLOAD_ANNOTATIONS.mode] ?? null;
  if (before === body.mode) return { kind: 'done', item: workload, dryRun: caller.dryRun };

  const { apiVersion, kind, namespace, name, uid } = workload;
  const by = caller.scope.actor;
  const sentence = body.mode === null ? `${by} went back to the policy's mode` : `${by} set the mode to ${body.mode}`;
  const deed = {
    action: 'SetMode',
    eventReason: COMMAND_EVENT.modeSet,
    subject: { apiVersion, kind, namespace, name, uid },
    message: withReason(sentence, body.reason),
    before: { mode: before },
    after: { mode: body.mode },
  } as const;
  let outcome;
  try {
    const options = { dryRun: caller.dryRun, fieldManager: FIELD_MANAGER };
    outcome = await ports.records.annotate(workloadPath(workload), { [WORKLOAD_ANNOTATIONS.mode]: body.mode }, options);
  } catch (error) {
    ports.logger.warn('writing intent failed', { object: `${namespace}/${name}`, err: error });
    recordDeed(ports, caller, { ...deed, outcome: 'error' });
    return { kind: 'unavailable', message: 'The API server is out of reach, so nothing was changed. Try again shortly.' };
  }
  const refusal = refusalOf(outcome, `${kind} ${name}`);
  recordDeed(ports, caller, { ...deed, outcome: refusal === null ? 'allowed' : 'error' });
  if (refusal !== null) return refusal;
  return { kind: 'done', item: withMode(workload, body.mode), dryRun: caller.dryRun };
}

function withMode(workload: WorkloadRecord, mode: string | null): WorkloadRecord {
  const { [WORKLOAD_ANNOTATIONS.mode]: _, ...others } = workload.annotations;
  return { ...workload, annotations: mode === null ? others : { ...others, [WORKLOAD_ANNOTATIONS.mode]: mode } };
}
