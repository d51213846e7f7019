// Data of a plot, thinned to time buckets that preserve the range of usage and of each request.

import type { ResourceResult } from '../../../core/backtest/methods.ts';
import { type Resource, SLOT_SECONDS, SLOTS_PER_DAY, SLOTS_PER_HOUR, type Trace } from '../../../core/backtest/time-grid.ts';

const MAX_BUCKETS = 640;

/** Lines of a plot by bucket; NaN where unknown. */
export interface Plot {
  /** Start of the first bucket and width of a bucket, in seconds. */
  readonly fromSecond: number;
  readonly bucketSeconds: number;
  /** Index of the first scored bucket; earlier ones are warm-up. */
  readonly scoredFrom: number;
  readonly usageMean: Float64Array;
  readonly usageMax: Float64Array;
  readonly evenkeel: Float64Array;
  readonly vpa: Float64Array;
}

export function plotOf(trace: Trace, resource: Resource, requests: ResourceResult['requests'], warmUpDays: number): Plot {
  const values = trace[resource] ?? new Float64Array();
  // Buckets are whole hours where possible, so that they align with hourly decisions.
  const minSize = Math.ceil(values.length / MAX_BUCKETS);
  const size = minSize > SLOTS_PER_HOUR / 2 ? Math.ceil(minSize / SLOTS_PER_HOUR) * SLOTS_PER_HOUR : Math.max(1, minSize);
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
