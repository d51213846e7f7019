// Checks that the annotation with original values on an HPA is the last one that Evenkeel wrote. Any user who may annotate the
// HPA can write the annotation, or replay an earlier one.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import { readOriginalValues, writeOriginalValues } from '../ownership/original-values.ts';
import { NO_ORIGINAL_VALUES, keepRecognized, type OriginalValues } from '../ownership/owners.ts';
import { originalBinding, readOriginal, isSameMeasured, type AutoscalerMemory, type OriginalRecord } from './recorded-target.ts';
import { meanRequest, targetFor } from './scale-point.ts';

interface Verifier {
  isAuthentic(binding: ReturnType<typeof originalBinding>, record: string): boolean;
}

/** State to compare an annotation with: each of its owners records when it took its values. */
export interface KnownOriginals {
  /** From the status of the Recommendation; null: there is no status. */
  readonly remembered: readonly AutoscalerMemory[] | null;
  readonly pods: readonly PodRecord[];
  /** Since when the workload is idle; null: it is not. */
  readonly idleSince: Instant | null;
}

/**
 * The HPA with a valid annotation of original values: without one that is not signed or invalid, and without the values of
 * owners that do not recognize them. After the removal of values the annotation is not signed.
 */
export function withCurrentOriginal(hpa: HpaRecord, signer: Verifier, known: KnownOriginals): HpaRecord {
  const { [HPA_ANNOTATIONS.original]: signed, ...annotations } = hpa.annotations;
  if (signed === undefined) return hpa;
  const originals = signer.isAuthentic(originalBinding(hpa), signed) ? readOriginalValues(signed) : null;
  const record = readOriginal(hpa);
  const current = keepRecognized(originals ?? NO_ORIGINAL_VALUES, (writer, takenAt) => {
    if (writer === 'idle') return takenAt === known.idleSince;
    return writer !== 'keep-replicas' || (record !== null && isCurrent(record, hpa, known));
  });
  if (current.takenAt.size === originals?.takenAt.size) return hpa;
  if (current.fields.size === 0) return { ...hpa, annotations };
  return { ...hpa, annotations: { ...annotations, [HPA_ANNOTATIONS.original]: writeOriginalValues(current) } };
}

/** The valid annotation of original values of an HPA; empty if there is none. */
export function readCurrentOriginalValues(hpa: HpaRecord, signer: Verifier, known: KnownOriginals): OriginalValues {
  const { annotations } = withCurrentOriginal(hpa, signer, known);
  return readOriginalValues(annotations[HPA_ANNOTATIONS.original] ?? '') ?? NO_ORIGINAL_VALUES;
}

function isCurrent(record: OriginalRecord, hpa: HpaRecord, { remembered, pods }: KnownOriginals): boolean {
  return remembered === null ? hasCurrentTargets(record, hpa, pods) : isNewest(record, hpa, remembered);
}

/** Whether the record is at least as new as the status, which has the targets from before the first move until the record is removed. */
export function isNewest(
  { issuedAt }: OriginalRecord,
  { name }: Pick<HpaRecord, 'name'>,
  remembered: readonly AutoscalerMemory[],
): boolean {
  const known = remembered.find((memory) => memory.name === name);
  return known !== undefined && known.targets.length > 0 && issuedAt >= (known.issuedAt ?? 0);
}

/**
 * Whether each target is as recorded and matches the current requests of the pods. A replay of such a record changes nothing,
 * because it has the load per pod that the HPA has already.
 */
function hasCurrentTargets({ targets }: OriginalRecord, { resourceMetrics }: HpaRecord, pods: readonly PodRecord[]): boolean {
  return targets.every((target) => {
    const ratio = resourceMetrics.find((metric) => isSameMeasured(metric, target))?.targetUtilizationRatio ?? null;
    const mean = meanRequest(pods, target);
    return ratio !== null && mean !== null && Math.round(ratio * 100) === target.set && targetFor(target, mean) === target.set;
  });
}
