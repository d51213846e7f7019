// Records of original values by idle mode: the replicas of the workload, or minReplicas of its autoscaler.

import { HPA_ANNOTATIONS } from '../../../../apis/annotations.ts';
import { liveValues } from '../../../hpa/recorded-target.ts';
import type { HpaRecord } from '../../../model/cluster-records.ts';
import type { Instant } from '#kube/units';
import { readOriginalValues } from '../../../ownership/original-values.ts';
import { leave, take, valueToWrite, type OriginalValues } from '../../../ownership/owners.ts';
import type { IdleMemory, IdleAnnotation } from '../../model/evidence/idle-memory.ts';

type ScaledHpa = Pick<HpaRecord, 'name' | 'annotations'>;

/** The annotation with the workload's original replicas, written before they are changed. @param live present replicas */
export function replicasOriginals(present: OriginalValues, idle: IdleMemory, live: number): OriginalValues {
  const { idleReplicas: value, autoscaler, waking, since: at, replicas: user } = idle;
  if (value === null || autoscaler !== null || waking !== null) return leave(present, 'idle', () => live);
  return take(present, { writer: 'idle', field: 'replicas', value, live, at, user });
}

/** The annotation of the autoscaler, and the minReplicas to write in the same patch. */
export function minReplicasOriginals(
  present: OriginalValues,
  { autoscaler, idleReplicas, waking, since: at }: IdleMemory,
  hpa: HpaRecord,
): { readonly originals: OriginalValues; readonly minReplicas: number } {
  const { minReplicas: live } = hpa;
  const user = autoscaler?.minReplicas ?? live;
  if (idleReplicas !== null && waking === null) {
    const originals = take(present, { writer: 'idle', field: 'minReplicas', value: idleReplicas, live, at, user });
    return { originals, minReplicas: valueToWrite(present, originals, 'minReplicas', live) };
  }
  const originals = leave(present, 'idle', liveValues(hpa));
  if (originals.fields.has('minReplicas')) return { originals, minReplicas: valueToWrite(present, originals, 'minReplicas', live) };
  // Where the annotation was removed, the Recommendation still has the value that was set.
  const set = present.fields.get('minReplicas')?.set ?? idleReplicas;
  return { originals, minReplicas: live === set ? user : live };
}

/** Whether the autoscaler's annotation has minReplicas of this idle period. */
export function hasAutoscaler(idle: IdleMemory, { annotations }: ScaledHpa): boolean {
  return readHpaOriginalValues(annotations)?.takenAt.get('idle') === idle.since;
}

/** Idle state from the annotations of the workload and its autoscaler, where there is no Recommendation. Those of another idle period are ignored. */
export function idleFromRecords(
  record: IdleAnnotation,
  workload: { readonly originals: OriginalValues | null; readonly replicas: number },
  hpas: readonly ScaledHpa[],
): IdleMemory {
  const scaled = ofReplicas(record.since, workload.originals) ?? ofAutoscaler(record.since, hpas);
  const scale = { replicas: workload.replicas, idleReplicas: null, autoscaler: null, ...scaled };
  return { ...record, ...scale, floor: new Map(), activeMs: 0, scaled: false, waking: null };
}

function ofReplicas(since: Instant, originals: OriginalValues | null): Pick<IdleMemory, 'replicas' | 'idleReplicas'> | null {
  const field = originals?.fields.get('replicas');
  if (field === undefined || originals?.takenAt.get('idle') !== since) return null;
  // While replicas are being restored, the wanted value is already removed, but `from` still has it.
  return { replicas: field.user, idleReplicas: field.wants.get('idle') ?? field.from };
}

function ofAutoscaler(since: Instant, hpas: readonly ScaledHpa[]): Pick<IdleMemory, 'idleReplicas' | 'autoscaler'> | null {
  for (const { name, annotations } of hpas) {
    const originals = readHpaOriginalValues(annotations);
    const field = originals?.fields.get('minReplicas');
    const idleReplicas = field?.wants.get('idle');
    if (field === undefined || idleReplicas === undefined || originals?.takenAt.get('idle') !== since) continue;
    return { idleReplicas, autoscaler: { name, minReplicas: field.user } };
  }
  return null;
}

function readHpaOriginalValues(annotations: ScaledHpa['annotations']): OriginalValues | null {
  return readOriginalValues(annotations[HPA_ANNOTATIONS.original] ?? '');
}
