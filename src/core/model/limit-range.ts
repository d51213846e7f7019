// Bounds of LimitRanges. https://kubernetes.io/docs/concepts/policy/limit-range/

import type { LimitRangeRecord } from './cluster-records.ts';
import type { OptionalResources } from '#kube/records/resources';

/** Upper bound of a value. `what`: its source, such as `LimitRange wide`. */
export interface Cap {
  readonly value: number;
  readonly what: string;
}

/** Bounds of one resource, in millicores or bytes; null: unset. */
export interface LimitBounds {
  readonly min: number | null;
  readonly max: number | null;
  /** Maximum of limit ÷ request. */
  readonly ratio: number | null;
}

/** Maximum of a container by each LimitRange that has one. */
export function containerCaps(ranges: readonly LimitRangeRecord[], field: keyof OptionalResources): readonly Cap[] {
  return ranges.flatMap(({ name, max }): readonly Cap[] => {
    const value = max[field];
    return value === null ? [] : [{ value, what: `LimitRange ${name}` }];
  });
}

/** The lowest bound; null: there is none. */
export function tightestCap(caps: readonly Cap[]): Cap | null {
  return caps.reduce<Cap | null>((lowest, cap) => (lowest === null || cap.value < lowest.value ? cap : lowest), null);
}

/** Maximum of a container; Infinity: no LimitRange has one. */
export function maxOfContainer(ranges: readonly LimitRangeRecord[], field: keyof OptionalResources): number {
  return tightestCap(containerCaps(ranges, field))?.value ?? Infinity;
}

/**
 * Whether the API server admits the request and limit of a container or of a pod. A maximum and a ratio require a limit;
 * LimitRange defaults have been applied to the request before.
 */
export function isWithinBounds(request: number | null, limit: number | null, { min, max, ratio }: LimitBounds): boolean {
  if (min !== null && ((request !== null && request < min) || (limit !== null && limit < min))) return false;
  if (max !== null && (limit === null || Math.max(request ?? 0, limit) > max)) return false;
  return ratio === null || (limit !== null && request !== null && request > 0 && limit / request <= ratio);
}
