// Whether the record of original targets on an HPA is the one that Evenkeel wrote last. Any user who may annotate the HPA can write
// one, or put an earlier one back.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import type { PodRecord } from '../model/pod.ts';
import { originalBinding, readOriginal, sameMeasured, type AutoscalerMemory, type OriginalRecord } from './kept-target.ts';
import { meanRequest, targetFor } from './scale-point.ts';

interface Verifier {
  isOurs(binding: ReturnType<typeof originalBinding>, record: string): boolean;
}

/** What a record is compared with. */
export interface KnownOriginals {
  /** As the status of the Recommendation has them; null: there is no status. */
  readonly remembered: readonly AutoscalerMemory[] | null;
  readonly pods: readonly PodRecord[];
}

/** The HPA without a record that is not signed by Evenkeel, or is not the last one. */
export function withCurrentOriginal(hpa: HpaRecord, signer: Verifier, { remembered, pods }: KnownOriginals): HpaRecord {
  const { [HPA_ANNOTATIONS.original]: signed, ...annotations } = hpa.annotations;
  if (signed === undefined) return hpa;
  const record = signer.isOurs(originalBinding(hpa), signed) ? readOriginal(hpa) : null;
  const isCurrent = record !== null && (remembered === null ? describes(record, hpa, pods) : isNewest(record, hpa, remembered));
  return isCurrent ? hpa : { ...hpa, annotations };
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
