// Decaying histograms of one resource, one per half-life, over the same buckets. Only the buckets between the least and
// the greatest value seen are kept: a container that uses 80–400m costs some 35 buckets a histogram, not 280.

import { bucketOf, bucketValue } from './log-scale.ts';

const GROWTH_BUCKETS = 8;
/** Weights under this share of a sample are forgotten, so that an old spike does not stretch the range for ever. */
const NEGLIGIBLE_WEIGHT = 1e-3;

/** Weights of usage samples by bucket, decayed hour by hour. */
export class HistogramBank {
  readonly #hourlyDecays: readonly number[];
  #base = 0;
  #width = 0;
  /** Histogram after histogram, `#width` buckets each. */
  #weights = new Float32Array(0);

  /** @param halfLivesHours one histogram each */
  constructor(halfLivesHours: readonly number[]) {
    this.#hourlyDecays = halfLivesHours.map((hours) => Math.pow(0.5, 1 / hours));
  }

  /** Ages everything by so many hours. */
  decay(hours: number): void {
    for (const [index, hourly] of this.#hourlyDecays.entries()) {
      const factor = Math.pow(hourly, hours);
      const from = index * this.#width;
      for (let at = from; at < from + this.#width; at++) {
        const weight = (this.#weights[at] ?? 0) * factor;
        this.#weights[at] = weight < NEGLIGIBLE_WEIGHT ? 0 : weight;
      }
    }
  }

  /** Every histogram after the one at `index` goes on from what that one holds: the older past counts no more. */
  restartSlower(index: number): void {
    const from = index * this.#width;
    for (let slower = index + 1; slower < this.#hourlyDecays.length; slower++) {
      this.#weights.copyWithin(slower * this.#width, from, from + this.#width);
    }
  }

  /** Adds one sample of weight 1 to every histogram. */
  add(value: number): void {
    const bucket = bucketOf(value);
    this.#reach(bucket);
    for (let index = 0; index < this.#hourlyDecays.length; index++) {
      const at = index * this.#width + bucket - this.#base;
      this.#weights[at] = (this.#weights[at] ?? 0) + 1;
    }
  }

  /** Total weight of one histogram. */
  weight(index: number): number {
    let sum = 0;
    for (let at = index * this.#width; at < (index + 1) * this.#width; at++) sum += this.#weights[at] ?? 0;
    return sum;
  }

  /**
   * Percentiles of one histogram, written to `into` from `offset`. NaN where it holds nothing.
   * @param percentiles 0–1, ascending
   */
  percentiles(index: number, percentiles: readonly number[], into: Float64Array, offset: number): void {
    const total = this.weight(index);
    let seen = 0;
    let bucket = -1;
    for (const [rank, percentile] of percentiles.entries()) {
      const wanted = percentile * total;
      while (bucket < this.#width - 1 && (seen < wanted || bucket < 0)) {
        bucket += 1;
        seen += this.#weights[index * this.#width + bucket] ?? 0;
      }
      into[offset + rank] = total > 0 ? bucketValue(this.#base + bucket) : NaN;
    }
  }

  /** One percentile; NaN where nothing is held. */
  percentile(index: number, percentile: number): number {
    const into = new Float64Array(1);
    this.percentiles(index, [percentile], into, 0);
    return into[0] ?? NaN;
  }

  /** Share of one histogram's weight at or under a value, 0–1; NaN where it holds nothing. */
  shareUpTo(index: number, value: number): number {
    const last = Math.min(bucketOf(value) - this.#base, this.#width - 1);
    let sum = 0;
    for (let bucket = 0; bucket <= last; bucket++) sum += this.#weights[index * this.#width + bucket] ?? 0;
    return sum / this.weight(index);
  }

  /** For checkpoints: the buckets that hold anything. */
  dump(): { readonly base: number; readonly width: number; readonly weights: Float32Array } {
    return { base: this.#base, width: this.#width, weights: this.#weights };
  }

  /** Takes the place of what was held. */
  load(base: number, width: number, weights: Float32Array<ArrayBuffer>): void {
    this.#base = base;
    this.#width = width;
    this.#weights = weights;
  }

  #reach(bucket: number): void {
    if (this.#width > 0 && bucket >= this.#base && bucket < this.#base + this.#width) return;
    const used = this.#usedBuckets();
    const base = Math.max(0, Math.min(used?.low ?? bucket, bucket) - (bucket < this.#base ? GROWTH_BUCKETS : 1));
    const width = Math.max(used?.high ?? bucket, bucket) + GROWTH_BUCKETS - base;
    const weights = new Float32Array(width * this.#hourlyDecays.length);
    if (used !== null) {
      for (let index = 0; index < this.#hourlyDecays.length; index++) {
        const from = index * this.#width + used.low - this.#base;
        weights.set(this.#weights.subarray(from, from + used.high - used.low + 1), index * width + used.low - base);
      }
    }
    this.#base = base;
    this.#width = width;
    this.#weights = weights;
  }

  #usedBuckets(): { readonly low: number; readonly high: number } | null {
    const used = Array.from({ length: this.#width }, (_, bucket) => bucket).filter((bucket) => this.#holdsAny(bucket));
    const [low] = used;
    const high = used.at(-1);
    return low === undefined || high === undefined ? null : { low: this.#base + low, high: this.#base + high };
  }

  #holdsAny(bucket: number): boolean {
    return this.#hourlyDecays.some((_, index) => (this.#weights[index * this.#width + bucket] ?? 0) > 0);
  }
}
