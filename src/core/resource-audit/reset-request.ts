// A user's request to reset a workload to its deployed sizes, stored on the workload until the leader has carried it out.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import { groupOfVersion, KUBERNETES_OWNERS, type WorkloadRecord } from '#kube/records/workload';

export interface ResetRequest {
  readonly by: string;
  /** The restart bears the same time on the template: a request that is put back restarts nothing again. */
  readonly at: Instant;
  /** No automatic change before; past it the request itself has lapsed. */
  readonly heldUntil: Instant;
  readonly reason: string | null;
  /** The pods have been restarted: what is left is to clear away. */
  readonly restarted: boolean;
}

/** Annotations about sizes: what people set, what Evenkeel noted. Protections such as do-not-disrupt are none. */
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

/** Kinds whose controllers roll pods out anew when the template changes. */
const RESTARTABLE = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** Why a workload's pods cannot be restarted by its template, in words; null: they can. */
export function restartProblem(
  workload: Pick<WorkloadRecord, 'apiVersion' | 'kind' | 'namespace' | 'name' | 'rolloutHeld'>,
): string | null {
  const { kind, name, rolloutHeld } = workload;
  if (!KUBERNETES_OWNERS.has(kind)) return unknownRestart(workload);
  if (kind === 'Job') return `Job ${name} has pods of one run, which no template restarts. Delete it and create it again.`;
  if (kind === 'CronJob') return `CronJob ${name} makes pods from its template at each run, so the next run has what was deployed.`;
  if (!RESTARTABLE.includes(kind)) return `${kind} ${name} does not roll out a changed template. Delete its pods to have them made anew.`;
  if (rolloutHeld === 'paused') return `${kind} ${name} is paused, so a restart would not begin. Resume its roll-out first.`;
  if (rolloutHeld === 'on-delete') return `${kind} ${name} has the update strategy OnDelete. Delete its pods to have them made anew.`;
  return null;
}

/**
 * A changed template is a new version to Argo Rollouts: it goes through canary steps, pauses and analyses, and may stop half-way. Its
 * restart without them is a field of the spec, which Evenkeel has no permission to write. Of other kinds nothing is known.
 * https://argo-rollouts.readthedocs.io/en/stable/features/restart/
 */
function unknownRestart({ apiVersion, kind, namespace, name }: Pick<WorkloadRecord, 'apiVersion' | 'kind' | 'namespace' | 'name'>): string {
  const group = groupOfVersion(apiVersion);
  const first = `To have its pods as they were deployed, set its mode to Off, then restart`;
  return group === 'argoproj.io' && kind === 'Rollout'
    ? `Rollout ${name} is restarted by its field spec.restartAt, which Evenkeel may not write. ${first} it: kubectl argo rollouts restart ${name} -n ${namespace}`
    : `Evenkeel does not restart a ${kind} of ${group}. ${first} ${name} as its controller provides.`;
}

/** On which workload a request counts: it is signed, as any user who may patch the workload can write the annotation. */
export function resetBinding({ kind, uid }: Pick<WorkloadRecord, 'kind' | 'uid'>): { kind: string; uid: string; field: string } {
  return { kind, uid, field: WORKLOAD_ANNOTATIONS.resetToDeploy };
}

export function resetText({ by, at, heldUntil, reason, restarted }: ResetRequest): string {
  return JSON.stringify({
    by,
    at: isoTime(at),
    heldUntil: isoTime(heldUntil),
    ...(reason === null || reason === '' ? {} : { reason }),
    ...(restarted ? { restarted } : {}),
  });
}

/** null: none. `unreadable`: the annotation is not a request. */
export function readResetRequest(annotations: Readonly<Record<string, string>>): ResetRequest | 'unreadable' | null {
  const text = annotations[WORKLOAD_ANNOTATIONS.resetToDeploy];
  if (text === undefined) return null;
  try {
    const { by, at, heldUntil, reason, restarted } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const instant = (time: unknown): Instant | null => (typeof time === 'string' ? instantOf(time) : null);
    const [asked, until] = [instant(at), instant(heldUntil)];
    if (typeof by !== 'string' || asked === null || until === null) return 'unreadable';
    return { by, at: asked, heldUntil: until, reason: typeof reason === 'string' ? reason : null, restarted: restarted === true };
  } catch {
    return 'unreadable';
  }
}
