// The records on a workload and its autoscalers that are not followed, as Events: a user may have written or put back each of them.

import { HPA_ANNOTATIONS, WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { originalBinding } from '../../core/hpa/recorded-target.ts';
import type { HpaRecord } from '../../core/model/cluster-records.ts';
import { instantOf } from '#kube/time/iso-time';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { readOriginalNote } from '../../core/ownership/original-note.ts';
import type { DecisionEvent } from '../../core/resize/model/decision-event.ts';
import type { ResizeMemory, WorkloadSituation } from '../../core/resize/model/situation.ts';
import { readIdleAnnotation } from '../../core/resize/status/idle-annotation.ts';
import { isOwnNote, judgeOriginal } from './idle-note.ts';
import type { RecommendationPorts } from './ports.ts';
import type { Remembered } from './remembered.ts';

/** Informers are seconds behind at the worst. */
const REMOVAL_SHOWN_WITHIN_MS: DurationMs = MINUTE_MS;

export function refusedRecords(
  ports: Pick<RecommendationPorts, 'cluster' | 'signer'>,
  workload: WorkloadRecord,
  situation: Pick<WorkloadSituation, 'hpas' | 'memory' | 'now'>,
  { status }: Pick<Remembered, 'status'>,
): readonly DecisionEvent[] {
  // No record can be verified: health reports that.
  if (!ports.signer.hasKey) return [];
  const idle = refusedIdle(ports, workload, situation, status);
  const replicas = refusedOriginal(`annotation ${WORKLOAD_ANNOTATIONS.original}`, judgeOriginal(workload, ports.signer), 'replicas');
  const hpas = [...ports.cluster.hpasOf(workloadKey(workload))].map((hpa) => refusedOfHpa(ports, hpa, situation));
  return [idle, replicas, ...hpas].filter((each) => each !== null);
}

function refusedOfHpa(
  { signer }: Pick<RecommendationPorts, 'signer'>,
  hpa: HpaRecord,
  situation: Pick<WorkloadSituation, 'hpas'>,
): DecisionEvent | null {
  const { [HPA_ANNOTATIONS.original]: text } = hpa.annotations;
  const followed = situation.hpas.find(({ uid }) => uid === hpa.uid);
  if (text === undefined || followed === undefined || followed.annotations[HPA_ANNOTATIONS.original] === text) return null;
  const what = `HorizontalPodAutoscaler ${hpa.name}: annotation ${HPA_ANNOTATIONS.original}`;
  const state = !signer.isOurs(originalBinding(hpa), text) ? 'not-signed' : readOriginalNote(text) === null ? 'unreadable' : 'own';
  return (
    refusedOriginal(what, state, 'the targets') ??
    outdated(`${what} is from an earlier change of its targets and is not followed; check the targets and remove it`)
  );
}

function refusedOriginal(what: string, state: ReturnType<typeof judgeOriginal>, checked: string): DecisionEvent | null {
  if (state === 'not-signed')
    return notSigned(`${what} is not signed by this Evenkeel and is not followed; check ${checked} and remove it`);
  if (state !== 'unreadable') return null;
  const message = `${what} is of a form that this version of Evenkeel cannot read, and is not followed; check ${checked} and remove it`;
  return { type: 'Warning', reason: 'RecordUnreadable', message };
}

function refusedIdle(
  { signer }: Pick<RecommendationPorts, 'signer'>,
  workload: WorkloadRecord,
  { memory, now }: Pick<WorkloadSituation, 'memory' | 'now'>,
  status: Remembered['status'],
): DecisionEvent | null {
  const { [WORKLOAD_ANNOTATIONS.idle]: record } = workload.annotations;
  if (record === undefined) return null;
  const what = `annotation ${WORKLOAD_ANNOTATIONS.idle}`;
  const isSigned = isOwnNote(workload, signer);
  if (memory.idle !== null) {
    // Written anew from the status. Without one, it is this record that is followed.
    return isSigned
      ? null
      : notSigned(`${what} is not signed by this Evenkeel; the status of its Recommendation counts, and it is written anew`);
  }
  if (!isSigned) return notSigned(`${what} is not signed by this Evenkeel and is not followed; check replicas and remove it`);
  if (status !== undefined && isOwnRemainder(readIdleAnnotation(record)?.since ?? 0, memory, status, now)) return null;
  return outdated(`${what} does not describe the workload as it is, so it is of an earlier idle period; it is not followed and is removed`);
}

/**
 * Whether the record is left over from Evenkeel itself: the informers do not show its removal yet, or the process that wrote it ended
 * before it wrote the status.
 */
function isOwnRemainder(
  since: Instant,
  { lastIdle }: Pick<ResizeMemory, 'lastIdle'>,
  { updatedAt }: NonNullable<Remembered['status']>,
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
