// Chooses predictors by their past loss: every predictor (a forecast times a margin) has a discounted loss, and the mean of the
// top k with the lowest loss decides (sequential prediction; Cesa-Bianchi and Lugosi, "Prediction, Learning, and Games", ch. 2).
//
// Overage and shortfall are summed separately, so that one panel serves every goal: loss = overage + weight × shortfall.

import { decodeValue, encodeValue, ZERO_CODE } from '../history/log-scale.ts';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { StoreSection } from '../history/model-store.ts';
import { INCREASE_RATIO, type LossPrices } from '../recommender-rules.ts';

/** Count of averaged predictors: the single best one changes too often. */
const TOP_K = 4;
/** Shortfall below this counts as 0, so that of equal predictors the lower margin wins. */
const NEGLIGIBLE = 1e-9;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Decision of a panel with its predictors. */
export interface PanelDecision {
  readonly value: number;
  /** Mean of the chosen forecasts before their margins. */
  readonly forecast: number;
  /** Mean of the chosen margins. */
  readonly margin: number;
  /** Indices of the chosen forecasts, lowest loss first. */
  readonly chosen: readonly number[];
}

/** The part of `CpuPaceRules` that a panel needs. */
export interface PredictorPanelRules {
  readonly margins: readonly number[];
  readonly lossHalfLifeHours: number;
  readonly prices: LossPrices;
  readonly raisesOnOverrun: boolean;
}

/** Discounted losses of all predictors of one pace. */
export class PredictorPanel {
  readonly #rules: PredictorPanelRules;
  /** Count of predictors. */
  readonly #count: number;
  /** Overage of each predictor, then shortfall of each; empty before the first hour. */
  readonly #losses: StoreSection;
  #used = 0;
  #points = 0;

  /** @param forecasts count of forecasts; each is combined with every margin */
  constructor(forecasts: number, rules: PredictorPanelRules, losses = StoreSection.alone()) {
    this.#rules = rules;
    this.#count = forecasts * rules.margins.length;
    this.#losses = losses;
  }

  /**
   * Adds the loss of one hour to every predictor.
   * @param forecasts made before the hour; NaN counts as 0
   * @param points the hour's usage, in order of time
   */
  addLoss(forecasts: Float64Array, points: readonly number[]): void {
    const { margins, prices, raisesOnOverrun, lossHalfLifeHours } = this.#rules;
    const discount = Math.pow(0.5, 1 / lossHalfLifeHours);
    const total = points.reduce((sum, point) => sum + point, 0);
    const highest = points.reduce((max, point) => Math.max(max, point), 0);
    this.#used = this.#used * discount + total;
    this.#points = this.#points * discount + points.length;
    const overrunPrice = (prices.overrun * this.#used) / this.#points;
    this.#losses.resize(2 * this.#count * FLOAT_BYTES);
    const { floats: losses, firstFloat } = this.#losses;
    let at = firstFloat;
    for (const forecast of forecasts) {
      for (const margin of margins) {
        let request = Number.isNaN(forecast) ? 0 : forecast * margin;
        // A predictor that covers the whole hour needs no replay of its points.
        const covers = highest <= request;
        let overage = covers ? request * points.length - total : 0;
        let shortfall = 0;
        for (const point of covers ? [] : points) {
          if (point <= request) {
            overage += request - point;
            continue;
          }
          shortfall += overrunPrice + prices.shortfall * (point - request);
          if (raisesOnOverrun) request = point * INCREASE_RATIO;
        }
        losses[at] = (losses[at] ?? 0) * discount + overage;
        losses[at + this.#count] = (losses[at + this.#count] ?? 0) * discount + shortfall;
        at += 1;
      }
    }
  }

  /**
   * Mean of the predictors with the lowest loss; null: every forecast is NaN.
   * @param forecasts for the next hour
   * @param weight of shortfall relative to overage
   */
  decide(forecasts: Float64Array, weight: number): PanelDecision | null {
    const { margins } = this.#rules;
    const { floats: losses, firstFloat } = this.#losses;
    const hasLosses = this.#points > 0;
    const lowest = new LowestLosses();
    let at = 0;
    for (const forecast of forecasts) {
      const next = at + margins.length;
      if (Number.isNaN(forecast)) at = next;
      for (; at < next; at++) {
        const overage = hasLosses ? (losses[firstFloat + at] ?? 0) : 0;
        const shortfall = hasLosses ? (losses[firstFloat + this.#count + at] ?? 0) : 0;
        lowest.add(at, overage + (shortfall < NEGLIGIBLE ? 0 : weight * shortfall));
      }
    }
    const count = lowest.indices.length;
    if (count === 0) return null;
    let [value, forecast, margin] = [0, 0, 0];
    const chosen = lowest.indices.map((place) => {
      const index = Math.floor(place / margins.length);
      const factor = margins[place % margins.length] ?? 1;
      value += (forecasts[index] ?? 0) * factor;
      forecast += forecasts[index] ?? 0;
      margin += factor;
      return index;
    });
    return { value: value / count, forecast: forecast / count, margin: margin / count, chosen };
  }

  save(out: ByteWriter): void {
    out.f64(this.#used);
    out.f64(this.#points);
    for (const losses of this.#lossArrays()) out.codes(losses, encodeValue, ZERO_CODE);
  }

  load(from: ByteReader): void {
    this.#used = from.f64();
    this.#points = from.f64();
    const codes = [from.codes(this.#count, ZERO_CODE), from.codes(this.#count, ZERO_CODE)];
    if (this.#points === 0) return;
    this.#losses.resize(2 * this.#count * FLOAT_BYTES);
    for (const [at, losses] of this.#lossArrays().entries()) losses.set((codes[at] ?? []).map(decodeValue));
  }

  #lossArrays(): readonly [overage: Float32Array, shortfall: Float32Array] {
    if (this.#points === 0) return [new Float32Array(this.#count), new Float32Array(this.#count)];
    const { floats, firstFloat } = this.#losses;
    return [floats.subarray(firstFloat, firstFloat + this.#count), floats.subarray(firstFloat + this.#count, firstFloat + 2 * this.#count)];
  }
}

/** The `TOP_K` lowest losses, ascending; of equal losses the first. */
class LowestLosses {
  readonly indices: number[] = [];
  readonly #losses: number[] = [];
  #worst = Infinity;

  add(place: number, loss: number): void {
    if (loss >= this.#worst) return;
    let rank = this.indices.length < TOP_K ? this.indices.length : TOP_K - 1;
    for (; rank > 0 && loss < (this.#losses[rank - 1] ?? 0); rank--) {
      this.indices[rank] = this.indices[rank - 1] ?? 0;
      this.#losses[rank] = this.#losses[rank - 1] ?? 0;
    }
    this.indices[rank] = place;
    this.#losses[rank] = loss;
    if (this.indices.length === TOP_K) this.#worst = this.#losses[TOP_K - 1] ?? Infinity;
  }
}
