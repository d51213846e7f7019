// A user's request to reset a workload to its deployed sizes, stored in an annotation until the leader has carried it out.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import { groupOfVersion, KUBERNETES_OWNERS, type WorkloadRecord } from '#kube/records/workload';

/** Content of the annotation. */
export interface ResetRequest {
  readonly by: string;
  /** Also the value of `restartedAt` in the template, so that a replayed request restarts nothing. */
  readonly at: Instant;
  /** No automatic changes before this time, and the request expires at it. */
  readonly heldUntil: Instant;
  readonly reason: string | null;
  /** Whether the pods were restarted, so that only the cleanup remains. */
  readonly restarted: boolean;
}

/** Annotations about sizes, of users and of Evenkeel; not protections such as do-not-disrupt. */
export const SIZE_ANNOTATIONS = [
  WORKLOAD_ANNOTATIONS.floor,
  WORKLOAD_ANNOTATIONS.ceiling,
  WORKLOAD_ANNOTATIONS.mode,
  WORKLOAD_ANNOTATIONS.exclude,
  WORKLOAD_ANNOTATIONS.resized,
  WORKLOAD_ANNOTATIONS.idle,
  WORKLOAD_ANNOTATIONS.heldUntil,
  WORKLOAD_ANNOTATIONS.overrideNotes,
] as const;

/** Kinds whose controllers roll out a changed template. */
const RESTARTABLE = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** Why the pods of a workload cannot be restarted by its template; null: they can. */
export function restartProblem(
  workload: Pick<WorkloadRecord, 'apiVersion' | 'kind' | 'namespace' | 'name' | 'rolloutHeld'>,
): string | null {
  const { kind, name, rolloutHeld } = workload;
  if (!KUBERNETES_OWNERS.has(kind)) return unknownRestart(workload);
  if (kind === 'Job') return `Job ${name} cannot be restarted by its template. Delete it and create it again.`;
  if (kind === 'CronJob') return `CronJob ${name} creates pods from its template at each run, so the next run has the deployed sizes.`;
  if (!RESTARTABLE.includes(kind)) return `${kind} ${name} does not roll out a changed template. Delete its pods to recreate them.`;
  if (rolloutHeld === 'paused') return `${kind} ${name} is paused, so a restart would not begin. Resume its rollout first.`;
  if (rolloutHeld === 'on-delete') return `${kind} ${name} has the update strategy OnDelete. Delete its pods to recreate them.`;
  return null;
}

/**
 * Argo Rollouts treats a changed template as a new version with canary steps, pauses and analyses, which may stop. Its restart
 * without them is a field of the spec that Evenkeel has no permission to write. The restart of other kinds is unknown.
 * https://argo-rollouts.readthedocs.io/en/stable/features/restart/
 */
function unknownRestart({ apiVersion, kind, namespace, name }: Pick<WorkloadRecord, 'apiVersion' | 'kind' | 'namespace' | 'name'>): string {
  const group = groupOfVersion(apiVersion);
  const first = `To restore the deployed sizes, set its mode to Off, then restart`;
  return group === 'argoproj.io' && kind === 'Rollout'
    ? `Rollout ${name} is restarted by its field spec.restartAt, which Evenkeel has no permission to write. ${first} it: kubectl argo rollouts restart ${name} -n ${namespace}`
    : `Evenkeel does not restart a ${kind} of ${group}. ${first} ${name} as its controller provides.`;
}

/** Binding of the request's signature: any user who may patch the workload can write the annotation. */
export function resetBinding({ kind, uid }: Pick<WorkloadRecord, 'kind' | 'uid'>): { kind: string; uid: string; field: string } {
  return { kind, uid, field: WORKLOAD_ANNOTATIONS.resetToDeploy };
}

/** Formats the annotation, without its signature. */
export function formatResetRequest({ by, at, heldUntil, reason, restarted }: ResetRequest): string {
  return JSON.stringify({
    by,
    at: isoTime(at),
    heldUntil: isoTime(heldUntil),
    ...(reason === null || reason === '' ? {} : { reason }),
    ...(restarted ? { restarted } : {}),
  });
}

/** Parses the annotation; null: absent. `unreadable`: it is no valid request. */
export function readResetRequest(annotations: Readonly<Record<string, string>>): ResetRequest | 'unreadable' | null {
  const text = annotations[WORKLOAD_ANNOTATIONS.resetToDeploy];
  if (text === undefined) return null;
  try {
    const { by, at, heldUntil, reason, restarted } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const instant = (time: unknown): Instant | null => (typeof time === 'string' ? instantOf(time) : null);
    const [requestedAt, until] = [instant(at), instant(heldUntil)];
    if (typeof by !== 'string' || requestedAt === null || until === null) return 'unreadable';
    return { by, at: requestedAt, heldUntil: until, reason: typeof reason === 'string' ? reason : null, restarted: restarted === true };
  } catch {
    return 'unreadable';
  }
}
