// What LimitRanges allow. https://kubernetes.io/docs/concepts/policy/limit-range/

import type { LimitRangeRecord } from './cluster-records.ts';
import type { OptionalResources } from '#kube/records/resources';

/** A bound on a value, and what sets it, in words. */
export interface Cap {
  readonly value: number;
  readonly what: string;
}

/** Bounds of one resource, in millicores or bytes; null: unset. */
export interface LimitBounds {
  readonly least: number | null;
  readonly greatest: number | null;
  /** Of limit ÷ request. */
  readonly ratio: number | null;
}

/** The greatest that a container may have, by each LimitRange that says so. */
export function containerCaps(ranges: readonly LimitRangeRecord[], field: keyof OptionalResources): readonly Cap[] {
  return ranges.flatMap(({ name, max }): readonly Cap[] => {
    const value = max[field];
    return value === null ? [] : [{ value, what: `LimitRange ${name}` }];
  });
}

/** The tightest; null: there is none. */
export function tightestCap(caps: readonly Cap[]): Cap | null {
  return caps.reduce<Cap | null>((least, cap) => (least === null || cap.value < least.value ? cap : least), null);
}

/** The greatest that a container may have; Infinity where no LimitRange bounds it. */
export function maxOfContainer(ranges: readonly LimitRangeRecord[], field: keyof OptionalResources): number {
  return tightestCap(containerCaps(ranges, field))?.value ?? Infinity;
}

/**
 * Whether the API server admits the amounts of a container, or of a whole pod. A greatest amount and a ratio ask for a limit; a
 * request that is not set has been filled in before they are looked at.
 */
export function isWithinBounds(request: number | null, limit: number | null, { least, greatest, ratio }: LimitBounds): boolean {
  if (least !== null && ((request !== null && request < least) || (limit !== null && limit < least))) return false;
  if (greatest !== null && (limit === null || Math.max(request ?? 0, limit) > greatest)) return false;
  return ratio === null || (limit !== null && request !== null && request > 0 && limit / request <= ratio);
}
