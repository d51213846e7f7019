// Warning Events about annotations on a workload and its autoscalers that Evenkeel does not follow: unsigned, unreadable or outdated ones.

import { HPA_ANNOTATIONS, WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { originalBinding } from '../../../core/hpa/recorded-target.ts';
import type { HpaRecord } from '../../../core/model/cluster-records.ts';
import { instantOf } from '#kube/time/iso-time';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { readOriginalValues } from '../../../core/ownership/original-values.ts';
import type { DecisionEvent } from '../../../core/resize/model/decision-event.ts';
import type { ResizeMemory, WorkloadSituation } from '../../../core/resize/model/situation.ts';
import { parseIdleAnnotation } from '../../../core/resize/status/idle-annotation.ts';
import { isIdleAnnotationSigned, verifyOriginalAnnotation } from '../observe/idle-annotations.ts';
import type { RecommendationPorts } from '../ports.ts';
import type { LatestMemory } from '../observe/latest-memory.ts';

/** Informers lag by seconds. */
const REMOVAL_SHOWN_WITHIN_MS: DurationMs = MINUTE_MS;

/** Empty while no signing key is available: health reports that. */
export function findRejectedAnnotations(
  ports: Pick<RecommendationPorts, 'cluster' | 'signer'>,
  workload: WorkloadRecord,
  situation: Pick<WorkloadSituation, 'hpas' | 'memory' | 'now'>,
  { status }: Pick<LatestMemory, 'status'>,
): readonly DecisionEvent[] {
  if (!ports.signer.hasKey) return [];
  const idle = rejectedIdle(ports, workload, situation, status);
  const replicas = rejectedOriginal(
    `annotation ${WORKLOAD_ANNOTATIONS.original}`,
    verifyOriginalAnnotation(workload, ports.signer),
    'replicas',
  );
  const hpas = [...ports.cluster.hpasOf(workloadKey(workload))].map((hpa) => rejectedOnHpa(ports, hpa, situation));
  return [idle, replicas, ...hpas].filter((annotation) => annotation !== null);
}

function rejectedOnHpa(
  { signer }: Pick<RecommendationPorts, 'signer'>,
  hpa: HpaRecord,
  situation: Pick<WorkloadSituation, 'hpas'>,
): DecisionEvent | null {
  const { [HPA_ANNOTATIONS.original]: text } = hpa.annotations;
  const followed = situation.hpas.find(({ uid }) => uid === hpa.uid);
  if (text === undefined || followed === undefined || followed.annotations[HPA_ANNOTATIONS.original] === text) return null;
  const what = `HorizontalPodAutoscaler ${hpa.name}: annotation ${HPA_ANNOTATIONS.original}`;
  const state = !signer.isAuthentic(originalBinding(hpa), text) ? 'not-signed' : readOriginalValues(text) === null ? 'unreadable' : 'own';
  return (
    rejectedOriginal(what, state, 'the targets') ??
    outdated(`${what} is from an earlier change of its targets and is not followed; check the targets and remove it`)
  );
}

function rejectedOriginal(what: string, state: ReturnType<typeof verifyOriginalAnnotation>, checked: string): DecisionEvent | null {
  if (state === 'not-signed')
    return notSigned(`${what} is not signed by this Evenkeel and is not followed; check ${checked} and remove it`);
  if (state !== 'unreadable') return null;
  const message = `${what} has a format that this version of Evenkeel cannot read, and is not followed; check ${checked} and remove it`;
  return { type: 'Warning', reason: 'RecordUnreadable', message };
}

function rejectedIdle(
  { signer }: Pick<RecommendationPorts, 'signer'>,
  workload: WorkloadRecord,
  { memory, now }: Pick<WorkloadSituation, 'memory' | 'now'>,
  status: LatestMemory['status'],
): DecisionEvent | null {
  const { [WORKLOAD_ANNOTATIONS.idle]: record } = workload.annotations;
  if (record === undefined) return null;
  const what = `annotation ${WORKLOAD_ANNOTATIONS.idle}`;
  const isSigned = isIdleAnnotationSigned(workload, signer);
  if (memory.idle !== null) {
    // The status is the source, and the annotation is written again from it. Without a status, a signed annotation is followed.
    return isSigned ? null : notSigned(`${what} is not signed by this Evenkeel; it is written again from the status of its Recommendation`);
  }
  if (!isSigned) return notSigned(`${what} is not signed by this Evenkeel and is not followed; check replicas and remove it`);
  if (status !== undefined && isLeftover(parseIdleAnnotation(record)?.since ?? 0, memory, status, now)) return null;
  return outdated(`${what} does not match the workload and is from an earlier idle period; it is not followed and is removed`);
}

/**
 * Whether Evenkeel left the annotation: the informers do not show its removal yet, or the process that wrote it ended before it wrote
 * the status.
 */
function isLeftover(
  since: Instant,
  { lastIdle }: Pick<ResizeMemory, 'lastIdle'>,
  { updatedAt }: NonNullable<LatestMemory['status']>,
  now: Instant,
): boolean {
  if (since === lastIdle?.since) return now - lastIdle.wokenAt < REMOVAL_SHOWN_WITHIN_MS;
  return since >= (instantOf(updatedAt) ?? 0);
}

function notSigned(message: string): DecisionEvent {
  return { type: 'Warning', reason: 'RecordNotSigned', message };
}

function outdated(message: string): DecisionEvent {
  return { type: 'Warning', reason: 'RecordOutdated', message };
}
