import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { parseDuration } from '../../core/model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, MINUTE_MS } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import { updateNotes } from '../../core/overrides/override-notes.ts';
import { resolveWorkload, type WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import { readResetRequest, resetBinding, formatResetRequest, restartProblem } from '../../core/resource-audit/reset-request.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from '../recommendations/approve-recommendation.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from '../context.ts';
import { refusalOfProtected } from '../find-target.ts';
import type { CommandRefusal } from '../outcome.ts';

const { resetToDeploy: RESET, heldUntil: HELD, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

const DEFAULT_HOLD_MS = DAY_MS;
const MIN_HOLD_MS = MINUTE_MS;
const MAX_HOLD_MS = 90 * DAY_MS;

/**
 * Requests a reset to the deployed values, as an annotation on the workload together with a hold that starts at once. The leader restarts
 * the pods, deletes the Recommendation and removes the size annotations. A pending request is not repeated.
 */
export const resetToDeploy: Command<OnWorkload<{ readonly for?: string; readonly reason?: string }>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  async run(ports, caller, { target, body }) {
    const barePod = refusalOfBarePod(ports, caller, target);
    if (barePod !== null) return barePod;
    return annotateWorkload(ports, caller, target, {
      action: 'ResetToDeploy',
      changesWorkload: true,
      decide: (workload, now) => {
        const holdMs = holdOf(body.for);
        if (typeof holdMs !== 'number') return holdMs;
        const problem = restartProblem(workload);
        if (problem !== null) return { kind: 'not-feasible', message: problem };
        const pending = readResetRequest(workload.annotations);
        if (pending !== null && pending !== 'unreadable') return { kind: 'same' };
        if (!ports.signer.hasKey) {
          return {
            kind: 'unavailable',
            message: 'no key to sign the request is available yet; health shows the reason (source record-key)',
          };
        }
        const by = caller.scope.actor;
        const reason = body.reason ?? null;
        const heldUntil = now + holdMs;
        const hold = { [HELD]: isoTime(heldUntil) };
        return {
          kind: 'write',
          annotations: {
            ...hold,
            [RESET]: ports.signer.sign(resetBinding(workload), formatResetRequest({ by, at: now, heldUntil, reason, restarted: false })),
            [NOTES]: updateNotes(workload.annotations, hold, { by, at: now, reason }),
          },
          audit: {
            action: 'ResetToDeploy',
            eventReason: COMMAND_EVENT.resetRequested,
            message: withReason(
              `${by} requested a reset to the deployed values, with no automatic change before ${isoTime(heldUntil)}`,
              body.reason,
            ),
            before: { heldUntil: workload.annotations[HELD] ?? null },
            after: { heldUntil: isoTime(heldUntil) },
          },
        };
      },
    });
  },
};

/** The duration of a reset's hold in milliseconds, or the refusal of an invalid one. */
export function holdOf(duration: string | undefined): number | CommandRefusal {
  if (duration === undefined) return DEFAULT_HOLD_MS;
  const invalid = (message: string): CommandRefusal => ({ kind: 'invalid', details: [{ path: '/for', message }] });
  const parsed = parseDuration(duration);
  if (!parsed.ok) return invalid(parsed.message);
  return parsed.value < MIN_HOLD_MS || parsed.value > MAX_HOLD_MS ? invalid('must be from 1m to 90d') : parsed.value;
}

/** The refusal of a reset of a bare pod; null where the name is that of a workload or of no pod. */
function refusalOfBarePod(ports: CommandPorts, { scope }: Caller, target: WorkloadTarget): CommandRefusal | null {
  const { cluster } = ports;
  if (resolveWorkload(cluster, scope, target).kind !== 'not-found') return null;
  const pod = cluster.findPod(target.namespace, target.name);
  if (pod === undefined || (target.kind !== undefined && target.kind !== 'Pod')) return null;
  const message = `${target.name} is a bare pod without a template. Delete it and create it again to restore its deployed values.`;
  return refusalOfProtected(ports, { namespace: pod.namespace, kind: 'Pod', labels: pod.labels }) ?? { kind: 'not-feasible', message };
}
