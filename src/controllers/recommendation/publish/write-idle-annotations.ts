// Writes the annotations of an idled workload: its sizes and its replicas. They are written before the status of its Recommendation and
// removed before the status drops them, so that at every moment one of the two holds the natural size.

import { WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { IdleMemory } from '../../../core/resize/model/evidence/idle-memory.ts';
import type { Instant } from '#kube/units';
import { workloadPath, type WorkloadRecord } from '#kube/records/workload';
import { writeOriginalValues } from '../../../core/ownership/original-values.ts';
import { NO_ORIGINAL_VALUES, keepRecognized, type OriginalValues } from '../../../core/ownership/owners.ts';
import { replicasOriginals } from '../../../core/resize/layers/idle/idle-originals.ts';
import { writeIdleAnnotation } from '../../../core/resize/status/idle-annotation.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import { bindingOf, isIdleAnnotationSigned, readOriginalAnnotation } from '../observe/idle-annotations.ts';
import type { RecommendationPorts } from '../ports.ts';

/**
 * Writes or removes the annotations of an idled workload, with one patch where something differs.
 * @throws when the API server refuses or cannot be reached: a workload whose natural size is not stored may not be idled
 */
export async function writeIdleAnnotations(
  ports: Pick<RecommendationPorts, 'signer' | 'records'>,
  workload: WorkloadRecord,
  idle: IdleMemory | null,
  signal: AbortSignal,
): Promise<void> {
  // Restored from the annotations alone: they are the source and stay as they are.
  if (idle?.waking?.by === 'record') return;
  const changes = { ...sizesChange(ports.signer, workload, idle), ...replicasChange(ports.signer, workload, idle) };
  if (Object.keys(changes).length === 0) return;
  const outcome = await ports.records.annotate(workloadPath(workload), changes, {}, signal);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return;
  throw new Error(`annotating ${workload.kind} ${workload.name}: ${'message' in outcome ? outcome.message : outcome.kind}`);
}

type AnnotationChange = Readonly<Record<string, string | null>>;

function sizesChange(signer: RecordSigner, workload: WorkloadRecord, idle: IdleMemory | null): AnnotationChange {
  const present = workload.annotations[WORKLOAD_ANNOTATIONS.idle];
  // An unsigned annotation may be the only record of the natural size: it stays for a user to check.
  if (idle === null && (present === undefined || !isIdleAnnotationSigned(workload, signer))) return {};
  // Removal by a user is a request to wake: the annotation is not written again.
  if (idle !== null && idle.waking !== null && present === undefined) return {};
  const wanted = idle === null ? null : signer.sign(bindingOf(workload, WORKLOAD_ANNOTATIONS.idle), writeIdleAnnotation(idle));
  return present === wanted ? {} : { [WORKLOAD_ANNOTATIONS.idle]: wanted };
}

/** The annotation stays on the workload from before its replicas change until they are restored. */
function replicasChange(signer: RecordSigner, workload: WorkloadRecord, idle: IdleMemory | null): AnnotationChange {
  const present = workload.annotations[WORKLOAD_ANNOTATIONS.original];
  const recorded = readOriginalAnnotation(workload, signer);
  const current = withoutOtherPeriods(recorded, idle?.since ?? null);
  const originals = idle === null ? current : replicasOriginals(current, idle, workload.replicas.desired);
  if (originals.fields.size === 0) return recorded === null ? {} : { [WORKLOAD_ANNOTATIONS.original]: null };
  const wanted = signer.sign(bindingOf(workload, WORKLOAD_ANNOTATIONS.original), writeOriginalValues(originals));
  return present === wanted ? {} : { [WORKLOAD_ANNOTATIONS.original]: wanted };
}

/** Drops entries of other idle periods: a user may have put back an annotation that was signed earlier. */
function withoutOtherPeriods(originals: OriginalValues | null, since: Instant | null): OriginalValues {
  return keepRecognized(originals ?? NO_ORIGINAL_VALUES, (writer, takenAt) => writer !== 'idle' || takenAt === since);
}
