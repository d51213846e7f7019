// The annotations on an idled workload: its sizes and its replicas before idle mode. They restore the workload where its Recommendation
// was deleted. Any user who may patch a workload can write them, so only signed ones are followed.

import { WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { IdleMemory, IdleAnnotation } from '../../../core/resize/model/evidence/idle-memory.ts';
import { capAmount, type OptionalResources, type RequestsAndLimits } from '#kube/records/resources';
import type { WorkloadRecord } from '#kube/records/workload';
import { requestBounds } from '../../../core/resize/policy/container-rules.ts';
import { readOriginalValues } from '../../../core/ownership/original-values.ts';
import type { OriginalValues } from '../../../core/ownership/owners.ts';
import { idleFromRecords } from '../../../core/resize/layers/idle/idle-originals.ts';
import { parseIdleAnnotation } from '../../../core/resize/status/idle-annotation.ts';
import { matchRecord } from '../../../core/resize/layers/idle/as-recorded.ts';
import type { WorkloadSituation } from '../../../core/resize/model/situation.ts';
import type { RecordBinding, RecordSigner } from '../../../ports/record-signer.ts';

/** The original values recorded on a workload; null where the annotation is missing, unsigned or unreadable. */
export function readOriginalAnnotation(workload: WorkloadRecord, signer: RecordSigner): OriginalValues | null {
  return verifyOriginalAnnotation(workload, signer) === 'own'
    ? readOriginalValues(workload.annotations[WORKLOAD_ANNOTATIONS.original] ?? '')
    : null;
}

/**
 * The idle memory that the annotations of the workload and its autoscaler record. An annotation that was signed earlier can be put back,
 * so a record counts only as far as it matches the present workload, and within the bounds of the policy, the workload and its autoscaler.
 * @returns null where no record counts
 * @throws while no signing key is available: an idled workload would be treated as one that is not idled
 */
export function readRecordedIdle(workload: WorkloadRecord, signer: RecordSigner, context: RecordContext): IdleMemory | null {
  if (workload.annotations[WORKLOAD_ANNOTATIONS.idle] === undefined) return null;
  if (!signer.hasKey)
    throw new Error(`annotation ${WORKLOAD_ANNOTATIONS.idle} cannot be verified yet; health shows the reason (source record-key)`);
  const record = readIdleAnnotation(workload, signer);
  if (record === null) return null;
  const original = { originals: readOriginalAnnotation(workload, signer), replicas: workload.replicas.desired };
  const current = matchRecord(idleFromRecords(record, original, context.hpas), { ...context, workload });
  return current === null ? null : limitToBounds(current, context);
}

/** The sizes recorded on a workload; null where the annotation is missing, unsigned or unreadable. */
export function readIdleAnnotation(workload: WorkloadRecord, signer: RecordSigner): IdleAnnotation | null {
  return isIdleAnnotationSigned(workload, signer) ? parseIdleAnnotation(workload.annotations[WORKLOAD_ANNOTATIONS.idle]) : null;
}

/** Verifies the annotation of original values: `own` is signed by Evenkeel and readable; null where the workload has none. */
export function verifyOriginalAnnotation(workload: WorkloadRecord, signer: RecordSigner): 'own' | 'not-signed' | 'unreadable' | null {
  const text = workload.annotations[WORKLOAD_ANNOTATIONS.original];
  if (text === undefined) return null;
  if (!signer.isAuthentic(bindingOf(workload, WORKLOAD_ANNOTATIONS.original), text)) return 'not-signed';
  return readOriginalValues(text) === null ? 'unreadable' : 'own';
}

/** Whether the annotation of sizes carries a valid signature of Evenkeel. */
export function isIdleAnnotationSigned(workload: WorkloadRecord, signer: RecordSigner): boolean {
  const { [WORKLOAD_ANNOTATIONS.idle]: text = '' } = workload.annotations;
  return signer.isAuthentic(bindingOf(workload, WORKLOAD_ANNOTATIONS.idle), text);
}

/** Binds a signed annotation to its workload: copied to another one, it is not valid. */
export function bindingOf({ kind, uid }: WorkloadRecord, field: string): RecordBinding {
  return { kind, uid, field };
}

type RecordContext = Pick<WorkloadSituation, 'policy' | 'overrides' | 'hpas' | 'pods'>;

/** Limits recorded sizes to `max`, and recorded minReplicas to maxReplicas of the HorizontalPodAutoscaler. */
function limitToBounds(idle: IdleMemory, { policy, overrides, hpas }: RecordContext): IdleMemory {
  const limitRequests = (name: string, { requests }: RequestsAndLimits): OptionalResources => ({
    cpuMillicores: capAmount(requests.cpuMillicores, requestBounds('cpu', policy, overrides, name, null).max?.value ?? null),
    memoryBytes: capAmount(requests.memoryBytes, requestBounds('memory', policy, overrides, name, null).max?.value ?? null),
  });
  const hpa = hpas.find(({ name }) => name === idle.autoscaler?.name);
  const maxReplicas = hpa?.maxReplicas ?? Number.POSITIVE_INFINITY;
  return {
    ...idle,
    natural: new Map([...idle.natural].map(([name, values]) => [name, { ...values, requests: limitRequests(name, values) }])),
    autoscaler: idle.autoscaler && { ...idle.autoscaler, minReplicas: Math.min(idle.autoscaler.minReplicas, maxReplicas) },
  };
}
