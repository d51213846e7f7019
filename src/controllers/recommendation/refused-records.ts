// The records on a workload and its autoscalers that are not followed, as Events: a user may have written or put back each of them.

import { HPA_ANNOTATIONS, WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { originalBinding } from '../../core/hpa/kept-target.ts';
import { workloadKey, type WorkloadRecord } from '../../core/model/workload.ts';
import type { DecisionNote } from '../../core/resize/model/decision-note.ts';
import type { WorkloadSituation } from '../../core/resize/model/situation.ts';
import { isOwnNote } from './idle-note.ts';
import type { RecommendationPorts } from './ports.ts';
import type { Remembered } from './remembered.ts';

export function refusedRecords(
  ports: Pick<RecommendationPorts, 'cluster' | 'signer'>,
  workload: WorkloadRecord,
  situation: Pick<WorkloadSituation, 'hpas' | 'memory'>,
  { status }: Pick<Remembered, 'status'>,
): readonly DecisionNote[] {
  const idle = status === undefined ? refusedIdle(ports, workload, situation) : null;
  const originals = [...ports.cluster.hpasOf(workloadKey(workload))].flatMap((hpa): DecisionNote[] => {
    const { [HPA_ANNOTATIONS.original]: record } = hpa.annotations;
    const followed = situation.hpas.find(({ uid }) => uid === hpa.uid);
    if (record === undefined || followed === undefined || followed.annotations[HPA_ANNOTATIONS.original] !== undefined) return [];
    const what = `HorizontalPodAutoscaler ${hpa.name}: annotation ${HPA_ANNOTATIONS.original}`;
    return ports.signer.isOurs(originalBinding(hpa), record)
      ? [outdated(`${what} is from an earlier change of its targets and is not followed; check the targets and remove it`)]
      : [notSigned(`${what} is not signed by this Evenkeel and is not followed; check the targets and remove it`)];
  });
  return idle === null ? originals : [idle, ...originals];
}

/** Where there is a status it alone counts, and the record is signed anew or removed. */
function refusedIdle(
  { signer }: Pick<RecommendationPorts, 'signer'>,
  workload: WorkloadRecord,
  { memory }: Pick<WorkloadSituation, 'memory'>,
): DecisionNote | null {
  if (workload.annotations[WORKLOAD_ANNOTATIONS.idle] === undefined || memory.idle !== null) return null;
  const what = `annotation ${WORKLOAD_ANNOTATIONS.idle}`;
  return isOwnNote(workload, signer)
    ? outdated(`${what} does not describe the workload as it is, so it is of an earlier idle period; it is not followed and is removed`)
    : notSigned(`${what} is not signed by this Evenkeel and is not followed; check replicas and remove it`);
}

function notSigned(message: string): DecisionNote {
  return { type: 'Warning', reason: 'RecordNotSigned', message };
}

function outdated(message: string): DecisionNote {
  return { type: 'Warning', reason: 'RecordOutdated', message };
}
