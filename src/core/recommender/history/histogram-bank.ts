// Decaying histograms of one resource, one per half-life, over the same buckets. Only buckets between the lowest and the
// highest value are stored: a container that uses 80–400m takes about 35 buckets per histogram, not 280.

import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { bucketOf, bucketValue, decodeValue, encodeValue, ZERO_CODE } from './log-scale.ts';

const GROWTH_BUCKETS = 8;
/** Weights below this become 0, so that an old spike does not extend the range for ever. */
const NEGLIGIBLE_WEIGHT = 1e-3;
// Weights lie between 10^-3 and some thousands; the factor moves them into the value scale.
const WEIGHT_SCALE = 1e4;

/** Weights of usage samples by bucket, with hourly exponential decay. */
export class HistogramBank {
  readonly #hourlyDecays: readonly number[];
  #base = 0;
  #width = 0;
  /** All histograms in sequence, `#width` buckets each. */
  #weights = new Float32Array(0);

  /** @param halfLivesHours creates one histogram for each half-life */
  constructor(halfLivesHours: readonly number[]) {
    this.#hourlyDecays = halfLivesHours.map((hours) => Math.pow(0.5, 1 / hours));
  }

  /** Decays every weight by `hours`. */
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

  /** Adds one sample of weight 1 to every histogram. */
  add(value: number): void {
    const bucket = bucketOf(value);
    this.#extendTo(bucket);
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
   * Writes percentiles of one histogram to `into` from `offset`; NaN if it is empty.
   * @param percentiles 0–1, ascending
   */
  percentiles(index: number, percentiles: readonly number[], into: Float64Array, offset: number): void {
    const total = this.weight(index);
    let cumulated = 0;
    let bucket = -1;
    for (const [rank, percentile] of percentiles.entries()) {
      const rankWeight = percentile * total;
      while (bucket < this.#width - 1 && (cumulated < rankWeight || bucket < 0)) {
        bucket += 1;
        cumulated += this.#weights[index * this.#width + bucket] ?? 0;
      }
      into[offset + rank] = total > 0 ? bucketValue(this.#base + bucket) : NaN;
    }
  }

  /** One percentile (0–1); NaN if the histogram is empty. */
  percentile(index: number, percentile: number): number {
    const into = new Float64Array(1);
    this.percentiles(index, [percentile], into, 0);
    return into[0] ?? NaN;
  }

  save(out: ByteWriter): void {
    out.u16(this.#base);
    out.u16(this.#width);
    out.codes(this.#weights, encodeWeight, ZERO_CODE);
  }

  load(from: ByteReader): void {
    this.#base = from.u16();
    this.#width = from.u16();
    this.#weights = Float32Array.from(from.codes(this.#width * this.#hourlyDecays.length, ZERO_CODE), decodeWeight);
  }

  #extendTo(bucket: number): void {
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
    const used = Array.from({ length: this.#width }, (_, bucket) => bucket).filter((bucket) => this.#hasWeight(bucket));
    const [low] = used;
    const high = used.at(-1);
    return low === undefined || high === undefined ? null : { low: this.#base + low, high: this.#base + high };
  }

  #hasWeight(bucket: number): boolean {
    return this.#hourlyDecays.some((_, index) => (this.#weights[index * this.#width + bucket] ?? 0) > 0);
  }
}

function encodeWeight(weight: number): number {
  return encodeValue(weight * WEIGHT_SCALE);
}

function decodeWeight(code: number): number {
  return decodeValue(code) / WEIGHT_SCALE;
}
