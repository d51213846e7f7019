// What a picture of one resource shows, thinned out: a bucket of time keeps the range of usage and of each request.

import type { ResourceResult } from '../../core/backtest/methods.ts';
import { type Resource, SLOT_SECONDS, SLOTS_PER_DAY, SLOTS_PER_HOUR, type Trace } from '../../core/backtest/time-grid.ts';

const MAX_BUCKETS = 640;

/** One line by bucket; NaN where nothing is known. */
export interface Plot {
  /** Seconds of the first bucket's begin, and of each bucket. */
  readonly fromSecond: number;
  readonly bucketSeconds: number;
  /** Buckets before this one only warm up. */
  readonly scoredFrom: number;
  readonly usageMean: Float64Array;
  readonly usageMax: Float64Array;
  readonly evenkeel: Float64Array;
  readonly vpa: Float64Array;
}

export function plotOf(trace: Trace, resource: Resource, requests: ResourceResult['requests'], warmUpDays: number): Plot {
  const values = trace[resource] ?? new Float64Array();
  // Whole hours to a bucket where there is room, so that buckets and decisions do not beat against each other.
  const least = Math.ceil(values.length / MAX_BUCKETS);
  const size = least > SLOTS_PER_HOUR / 2 ? Math.ceil(least / SLOTS_PER_HOUR) * SLOTS_PER_HOUR : Math.max(1, least);
  const thin = (from: Float64Array, join: (bucket: Float64Array) => number) =>
    Float64Array.from({ length: Math.ceil(from.length / size) }, (_, bucket) => {
      const known = from.slice(bucket * size, (bucket + 1) * size).filter((value) => !Number.isNaN(value));
      return known.length === 0 ? NaN : join(known);
    });
  const mean = (bucket: Float64Array) => bucket.reduce((sum, value) => sum + value, 0) / bucket.length;
  const max = (bucket: Float64Array) => bucket.reduce((most, value) => Math.max(most, value), 0);
  return {
    fromSecond: trace.firstSlot * SLOT_SECONDS,
    bucketSeconds: size * SLOT_SECONDS,
    scoredFrom: Math.ceil((warmUpDays * SLOTS_PER_DAY) / size),
    usageMean: thin(values, mean),
    usageMax: thin(values, max),
    evenkeel: thin(requests.evenkeel, max),
    vpa: thin(requests.vpa, max),
  };
}
