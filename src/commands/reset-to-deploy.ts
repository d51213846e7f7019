import { WORKLOAD_ANNOTATIONS } from '../apis/annotations.ts';
import { OPERATOR_OF_TARGET } from '../core/access/requirement.ts';
import { parseDuration } from '../core/model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, MINUTE_MS } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import { notesAfter } from '../core/overrides/override-notes.ts';
import { resolveWorkload, type WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { readResetRequest, resetBinding, resetText, restartProblem } from '../core/resource-audit/reset-request.ts';
import { annotateWorkload } from './annotate-workload.ts';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload } from './command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';
import { refusalOfProtected } from './find-target.ts';
import type { CommandRefusal } from './outcome.ts';

const { resetToDeploy: RESET, heldUntil: HELD, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

const HELD_FOR_MS = DAY_MS;
const MIN_MS = MINUTE_MS;
const MAX_MS = 90 * DAY_MS;

/**
 * Asks for a reset: the request stands on the workload as an annotation, with the hold that begins at once; the leader
 * restarts the pods, deletes the Recommendation and clears the annotations away. One that is pending is joined.
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
        const heldFor = holdOf(body.for);
        if (typeof heldFor !== 'number') return heldFor;
        const problem = restartProblem(workload);
        if (problem !== null) return { kind: 'not-feasible', message: problem };
        const pending = readResetRequest(workload.annotations);
        if (pending !== null && pending !== 'unreadable') return { kind: 'same' };
        if (!ports.signer.hasKey) {
          return { kind: 'unavailable', message: 'there is no key to sign the request with yet; health tells why (source record-key)' };
        }
        const by = caller.scope.actor;
        const reason = body.reason ?? null;
        const heldUntil = now + heldFor;
        const held = { [HELD]: isoTime(heldUntil) };
        return {
          kind: 'write',
          annotations: {
            ...held,
            [RESET]: ports.signer.sign(resetBinding(workload), resetText({ by, at: now, heldUntil, reason, restarted: false })),
            [NOTES]: notesAfter(workload.annotations, held, { by, at: now, reason }),
          },
          audit: {
            action: 'ResetToDeploy',
            eventReason: COMMAND_EVENT.resetRequested,
            message: withReason(
              `${by} asked to go back to what was deployed, and for no automatic change before ${isoTime(heldUntil)}`,
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

/** How long a reset holds, in milliseconds, or what is wrong with what was given. */
export function holdOf(given: string | undefined): number | CommandRefusal {
  if (given === undefined) return HELD_FOR_MS;
  const wrong = (message: string): CommandRefusal => ({ kind: 'invalid', details: [{ path: '/for', message }] });
  const held = parseDuration(given);
  if (!held.ok) return wrong(held.message);
  return held.value < MIN_MS || held.value > MAX_MS ? wrong('must be from 1m to 90d') : held.value;
}

/** Why a single pod of that name is not reset; null where there is none, or a workload has the name. */
function refusalOfBarePod(ports: CommandPorts, { scope }: Caller, target: WorkloadTarget): CommandRefusal | null {
  const { cluster } = ports;
  if (resolveWorkload(cluster, scope, target).kind !== 'not-found') return null;
  const pod = cluster.findPod(target.namespace, target.name);
  if (pod === undefined || (target.kind !== undefined && target.kind !== 'Pod')) return null;
  const message = `${target.name} is a single pod: it has no template to be made from again. Delete and create it to have it as it was deployed.`;
  return refusalOfProtected(ports, { namespace: pod.namespace, kind: 'Pod', labels: pod.labels }) ?? { kind: 'not-feasible', message };
}
