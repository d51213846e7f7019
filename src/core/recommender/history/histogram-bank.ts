// Decaying histograms of one resource, one per half-life, over the same buckets. Only buckets between the lowest and the
// highest value are stored: a container that uses 80–400m takes about 35 buckets per histogram, not 280.

import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { bucketOf, bucketValue, decodeValue, encodeValue, ZERO_CODE } from './log-scale.ts';
import { StoreSection } from './model-store.ts';

const GROWTH_BUCKETS = 8;
/** Weights below this become 0, so that an old spike does not extend the range for ever. */
const NEGLIGIBLE_WEIGHT = 1e-3;
// Weights lie between 10^-3 and some thousands; the factor moves them into the value scale.
const WEIGHT_SCALE = 1e4;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Weights of usage samples by bucket, with hourly exponential decay. */
export class HistogramBank {
  readonly #halfLivesHours: readonly number[];
  #base = 0;
  #width = 0;
  /** All histograms in sequence, `#width` buckets each. */
  readonly #section: StoreSection;

  /** @param halfLivesHours creates one histogram for each half-life */
  constructor(halfLivesHours: readonly number[], section = StoreSection.alone()) {
    this.#halfLivesHours = halfLivesHours;
    this.#section = section;
  }

  /** Decays every weight by `hours`. */
  decay(hours: number): void {
    const { floats: weights, firstFloat } = this.#section;
    for (const [index, halfLifeHours] of this.#halfLivesHours.entries()) {
      const factor = Math.pow(Math.pow(0.5, 1 / halfLifeHours), hours);
      const from = firstFloat + index * this.#width;
      for (let at = from; at < from + this.#width; at++) {
        const weight = (weights[at] ?? 0) * factor;
        weights[at] = weight < NEGLIGIBLE_WEIGHT ? 0 : weight;
      }
    }
  }

  /** Adds one sample of weight 1 to every histogram. */
  add(value: number): void {
    const bucket = bucketOf(value);
    this.#extendTo(bucket);
    const { floats: weights, firstFloat } = this.#section;
    for (let index = 0; index < this.#halfLivesHours.length; index++) {
      const at = firstFloat + index * this.#width + bucket - this.#base;
      weights[at] = (weights[at] ?? 0) + 1;
    }
  }

  /** Total weight of one histogram. */
  weight(index: number): number {
    const { floats: weights, firstFloat } = this.#section;
    const first = firstFloat + index * this.#width;
    let sum = 0;
    for (let at = first; at < first + this.#width; at++) sum += weights[at] ?? 0;
    return sum;
  }

  /**
   * Writes percentiles of one histogram to `into` from `offset`; NaN if it is empty.
   * @param percentiles 0–1, ascending
   */
  percentiles(index: number, percentiles: readonly number[], into: Float64Array, offset: number): void {
    const total = this.weight(index);
    const { floats: weights, firstFloat } = this.#section;
    const first = firstFloat + index * this.#width;
    let cumulated = 0;
    let bucket = -1;
    for (const [rank, percentile] of percentiles.entries()) {
      const rankWeight = percentile * total;
      while (bucket < this.#width - 1 && (cumulated < rankWeight || bucket < 0)) {
        bucket += 1;
        cumulated += weights[first + bucket] ?? 0;
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
    out.codes(this.#weights(), encodeWeight, ZERO_CODE);
  }

  load(from: ByteReader): void {
    this.#base = from.u16();
    this.#width = from.u16();
    const codes = from.codes(this.#count, ZERO_CODE);
    this.#section.resize(this.#count * FLOAT_BYTES);
    this.#weights().set(codes.slice(0, this.#count).map(decodeWeight));
  }

  #weights(): Float32Array {
    const { floats, firstFloat } = this.#section;
    return floats.subarray(firstFloat, firstFloat + this.#count);
  }

  /** Count of all weights. */
  get #count(): number {
    return this.#width * this.#halfLivesHours.length;
  }

  #extendTo(bucket: number): void {
    if (this.#width > 0 && bucket >= this.#base && bucket < this.#base + this.#width) return;
    const used = this.#usedBuckets();
    const base = Math.max(0, Math.min(used?.low ?? bucket, bucket) - (bucket < this.#base ? GROWTH_BUCKETS : 1));
    const width = Math.max(used?.high ?? bucket, bucket) + GROWTH_BUCKETS - base;
    const [before, baseBefore, widthBefore] = [this.#weights().slice(), this.#base, this.#width];
    this.#base = base;
    this.#width = width;
    this.#section.resize(this.#count * FLOAT_BYTES);
    const weights = this.#weights().fill(0);
    if (used === null) return;
    for (let index = 0; index < this.#halfLivesHours.length; index++) {
      const from = index * widthBefore + used.low - baseBefore;
      weights.set(before.subarray(from, from + used.high - used.low + 1), index * width + used.low - base);
    }
  }

  #usedBuckets(): { readonly low: number; readonly high: number } | null {
    const weights = this.#weights();
    const hasWeight = (bucket: number) => this.#halfLivesHours.some((_, index) => (weights[index * this.#width + bucket] ?? 0) > 0);
    const used = Array.from({ length: this.#width }, (_, bucket) => bucket).filter(hasWeight);
    const [low] = used;
    const high = used.at(-1);
    return low === undefined || high === undefined ? null : { low: this.#base + low, high: this.#base + high };
  }
}

function encodeWeight(weight: number): number {
  return encodeValue(weight * WEIGHT_SCALE);
}

function decodeWeight(code: number): number {
  return decodeValue(code) / WEIGHT_SCALE;
}
