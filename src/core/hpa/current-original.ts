// Whether the note of original values on an HPA is the one that Evenkeel wrote last. Any user who may annotate the HPA can write
// one, or put an earlier one back.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import { readOriginalNote, writeOriginalNote } from '../ownership/original-note.ts';
import { EMPTY_NOTE, keepRemembered, type OriginalNote } from '../ownership/owners.ts';
import { originalBinding, readOriginal, sameMeasured, type AutoscalerMemory, type OriginalRecord } from './recorded-target.ts';
import { meanRequest, targetFor } from './scale-point.ts';

interface Verifier {
  isOurs(binding: ReturnType<typeof originalBinding>, record: string): boolean;
}

/** What a note is compared with: each of its writers remembers what it took. */
export interface KnownOriginals {
  /** As the status of the Recommendation has them; null: there is no status. */
  readonly remembered: readonly AutoscalerMemory[] | null;
  readonly pods: readonly PodRecord[];
  /** Since when the workload is idle; null: it is not. */
  readonly idleSince: Instant | null;
}

/**
 * The HPA with what Evenkeel wrote last in its note: without a note that is not signed or cannot be read, and without what a writer does
 * not remember as its own. The note is not signed any more where it lacks something.
 */
export function withCurrentOriginal(hpa: HpaRecord, signer: Verifier, known: KnownOriginals): HpaRecord {
  const { [HPA_ANNOTATIONS.original]: signed, ...annotations } = hpa.annotations;
  if (signed === undefined) return hpa;
  const note = signer.isOurs(originalBinding(hpa), signed) ? readOriginalNote(signed) : null;
  const record = readOriginal(hpa);
  const current = keepRemembered(note ?? EMPTY_NOTE, (writer, takenAt) => {
    if (writer === 'idle') return takenAt === known.idleSince;
    return writer !== 'keep-replicas' || (record !== null && isCurrent(record, hpa, known));
  });
  if (current.takenAt.size === note?.takenAt.size) return hpa;
  if (current.fields.size === 0) return { ...hpa, annotations };
  return { ...hpa, annotations: { ...annotations, [HPA_ANNOTATIONS.original]: writeOriginalNote(current) } };
}

/** The note that is current on an HPA. */
export function currentNote(hpa: HpaRecord, signer: Verifier, known: KnownOriginals): OriginalNote {
  const { annotations } = withCurrentOriginal(hpa, signer, known);
  return readOriginalNote(annotations[HPA_ANNOTATIONS.original] ?? '') ?? EMPTY_NOTE;
}

function isCurrent(record: OriginalRecord, hpa: HpaRecord, { remembered, pods }: KnownOriginals): boolean {
  return remembered === null ? describes(record, hpa, pods) : isNewest(record, hpa, remembered);
}

/** The status keeps the targets before the first of them is moved, and until the record is gone. */
export function isNewest(
  { issuedAt }: OriginalRecord,
  { name }: Pick<HpaRecord, 'name'>,
  remembered: readonly AutoscalerMemory[],
): boolean {
  const known = remembered.find((each) => each.name === name);
  return known !== undefined && known.targets.length > 0 && issuedAt >= (known.issuedAt ?? 0);
}

/**
 * Whether each target is where the record has it, and that is where it belongs with the requests that pods have now. Such a record
 * moves nothing by itself, whenever it was issued: it asks for the load per pod that the HPA has in any case.
 */
function describes({ targets }: OriginalRecord, { resourceMetrics }: HpaRecord, pods: readonly PodRecord[]): boolean {
  return targets.every((target) => {
    const ratio = resourceMetrics.find((metric) => sameMeasured(metric, target))?.targetUtilizationRatio ?? null;
    const mean = meanRequest(pods, target);
    return ratio !== null && mean !== null && Math.round(ratio * 100) === target.set && targetFor(target, mean) === target.set;
  });
}
