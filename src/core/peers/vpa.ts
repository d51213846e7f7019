// Reimplementation of the Vertical Pod Autoscaler from its documentation, for comparison: a decaying histogram, percentiles with a
// margin, bounds that are wider while history is short, and the updater's conditions.
// https://github.com/kubernetes/autoscaler/tree/master/vertical-pod-autoscaler

import { DAY_MS, HOUR_MS, MiB } from '#kube/units';
import type { DurationMs, Instant } from '#kube/units';

/** Size of the first bucket, and growth of each next one. */
const BUCKET_GROWTH = 1.05;
const FIRST_BUCKET = { cpu: 10, memory: 10_000_000 } as const;
const HALF_LIFE_MS: DurationMs = DAY_MS;
const PERCENTILES = { lower: 0.5, target: 0.9, upper: 0.95 } as const;
const MARGIN = 0.15;
/** Minimum recommendation for a pod of one container. */
export const VPA_FLOORS = { cpu: 25, memory: 250 * MiB } as const;
/** Inside the bounds the updater acts on a pod of this age with this relative difference. */
const UPDATE_AGE_MS: DurationMs = 12 * HOUR_MS;
const UPDATE_DIFFERENCE = 0.1;
/** Increase after an OOM kill: the higher of both. */
const OOM_RATIO = 1.2;
const OOM_BUMP = 100 * MiB;

/** Millicores or bytes. */
export interface VpaRecommendation {
  readonly target: number;
  readonly lowerBound: number;
  readonly upperBound: number;
}

/** VPA's recommender for one resource of one container: millicores, or bytes. */
export class VpaRecommender {
  readonly #resource: 'cpu' | 'memory';
  readonly #floor: number;
  readonly #weights = new Map<number, number>();
  #reference: Instant = NaN;
  #firstAt: Instant = NaN;
  #lastAt: Instant = NaN;
  /** Memory has one sample per day: the peak. */
  #peakDay = -1;
  #peak = 0;

  /** @param floor minimum recommendation; VPA's by default */
  constructor(resource: 'cpu' | 'memory', floor: number = VPA_FLOORS[resource]) {
    this.#resource = resource;
    this.#floor = floor;
  }

  /** Adds one sample, ascending in time. */
  observe(at: Instant, value: number): void {
    if (Number.isNaN(this.#firstAt)) {
      this.#firstAt = at;
      this.#reference = at;
    }
    this.#lastAt = at;
    if (this.#resource === 'cpu') this.#add(at, value, 1);
    else this.#observePeak(at, value);
  }

  /** Adds an OOM kill, which counts as a sample above the higher of request and peak. */
  observeOom(at: Instant, requestBytes: number): void {
    const used = Math.max(requestBytes, this.#peak);
    this.observe(at, Math.max(used * OOM_RATIO, used + OOM_BUMP));
  }

  /** Current recommendation; null: no samples. */
  recommend(): VpaRecommendation | null {
    if (Number.isNaN(this.#firstAt)) return null;
    const confidence = Math.max((this.#lastAt - this.#firstAt) / DAY_MS, Number.EPSILON);
    const withMargin = (percentile: number) => this.#percentile(percentile) * (1 + MARGIN);
    return {
      target: Math.max(this.#floor, withMargin(PERCENTILES.target)),
      lowerBound: Math.max(this.#floor, withMargin(PERCENTILES.lower) * Math.pow(1 + 0.001 / confidence, -2)),
      upperBound: Math.max(this.#floor, withMargin(PERCENTILES.upper) * (1 + 1 / confidence)),
    };
  }

  #observePeak(at: Instant, value: number): void {
    const day = Math.floor((at - this.#firstAt) / DAY_MS);
    if (day > this.#peakDay) {
      this.#peakDay = day;
      this.#peak = value;
      this.#add(this.#firstAt + day * DAY_MS, value, 1);
    } else if (value > this.#peak) {
      this.#add(this.#firstAt + day * DAY_MS, this.#peak, -1);
      this.#peak = value;
      this.#add(this.#firstAt + day * DAY_MS, value, 1);
    }
  }

  #add(at: Instant, value: number, sign: 1 | -1): void {
    const bucket = this.#bucketOf(value);
    const weight = (this.#weights.get(bucket) ?? 0) + sign * Math.pow(2, (at - this.#reference) / HALF_LIFE_MS);
    if (weight > 0) this.#weights.set(bucket, weight);
    else this.#weights.delete(bucket);
    if ((at - this.#reference) / HALF_LIFE_MS > 100) this.#shiftReference(at);
  }

  #shiftReference(at: Instant): void {
    const factor = Math.pow(2, -(at - this.#reference) / HALF_LIFE_MS);
    for (const [bucket, weight] of this.#weights) this.#weights.set(bucket, weight * factor);
    this.#reference = at;
  }

  #percentile(percentile: number): number {
    const buckets = [...this.#weights].sort(([a], [b]) => a - b);
    const total = buckets.reduce((sum, [, weight]) => sum + weight, 0);
    let cumulated = 0;
    for (const [bucket, weight] of buckets) {
      cumulated += weight;
      if (cumulated >= percentile * total) return this.#startOf(bucket + 1);
    }
    return 0;
  }

  #bucketOf(value: number): number {
    const first = FIRST_BUCKET[this.#resource];
    return value < first ? 0 : Math.floor(Math.log((value * (BUCKET_GROWTH - 1)) / first + 1) / Math.log(BUCKET_GROWTH));
  }

  #startOf(bucket: number): number {
    return (FIRST_BUCKET[this.#resource] * (Math.pow(BUCKET_GROWTH, bucket) - 1)) / (BUCKET_GROWTH - 1);
  }
}

/** Whether VPA's updater would evict a pod of this age with this request. */
export function isUpdatedByVpa(request: number, recommendation: VpaRecommendation, podAgeMs: DurationMs): boolean {
  const { target, lowerBound, upperBound } = recommendation;
  if (request < lowerBound || request > upperBound) return true;
  return podAgeMs >= UPDATE_AGE_MS && Math.abs(target - request) >= request * UPDATE_DIFFERENCE;
}
