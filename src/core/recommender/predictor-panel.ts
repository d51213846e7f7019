// Which predictors to believe: every predictor (a forecast times a margin) has a running loss, what it would have left
// unused plus the price of what it would have missed. Losses are discounted hour by hour, and the mean of the few
// predictors with the lowest loss decides (a top-k of experts with discounted loss).
//
// Unused and shortfall are summed apart, so that one panel answers for every goal: loss = unused + weight × shortfall.

import { decodeValue, encodeValue, ZERO_CODE } from './log-scale.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { INCREASE_RATIO, type LossPrices } from './recommender-rules.ts';

/** Predictors whose values are averaged: one alone changes its mind too often. */
const TOP_K = 4;
/** A sum below this is as good as nothing; the lower margin then decides. */
const NEGLIGIBLE = 1e-9;

/** What a panel decided, and from which predictors. */
export interface PanelDecision {
  readonly value: number;
  /** Mean of the chosen forecasts before their margins. */
  readonly forecast: number;
  /** Mean of the chosen margins. */
  readonly margin: number;
  /** Indices of the chosen forecasts, lowest loss first. */
  readonly chosen: readonly number[];
}

export interface PredictorPanelRules {
  readonly margins: readonly number[];
  readonly lossHalfLifeHours: number;
  readonly prices: LossPrices;
  readonly reacts: boolean;
}

export class PredictorPanel {
  readonly #rules: PredictorPanelRules;
  readonly #hourlyDiscount: number;
  readonly #unused: Float32Array;
  readonly #shortfall: Float32Array;
  #used = 0;
  #points = 0;

  /** @param forecasts how many forecasts are tried, each with every margin */
  constructor(forecasts: number, rules: PredictorPanelRules) {
    this.#rules = rules;
    this.#hourlyDiscount = Math.pow(0.5, 1 / rules.lossHalfLifeHours);
    this.#unused = new Float32Array(forecasts * rules.margins.length);
    this.#shortfall = new Float32Array(forecasts * rules.margins.length);
  }

  /**
   * Adds one hour's loss to every predictor.
   * @param forecasts made before the hour; NaN counts as 0
   * @param points the hour's usage, in order of time
   */
  addLoss(forecasts: Float64Array, points: readonly number[]): void {
    const { margins, prices, reacts } = this.#rules;
    const discount = this.#hourlyDiscount;
    const total = points.reduce((sum, point) => sum + point, 0);
    const highest = points.reduce((most, point) => Math.max(most, point), 0);
    this.#used = this.#used * discount + total;
    this.#points = this.#points * discount + points.length;
    const overrunPrice = (prices.overrun * this.#used) / this.#points;
    const [allUnused, allShortfall] = [this.#unused, this.#shortfall];
    let at = 0;
    for (const forecast of forecasts) {
      for (const margin of margins) {
        let request = Number.isNaN(forecast) ? 0 : forecast * margin;
        // Most predictors cover the whole hour, and need no replay.
        const covers = highest <= request;
        let unused = covers ? request * points.length - total : 0;
        let shortfall = 0;
        for (const point of covers ? [] : points) {
          if (point <= request) {
            unused += request - point;
            continue;
          }
          shortfall += overrunPrice + prices.shortfall * (point - request);
          if (reacts) request = point * INCREASE_RATIO;
        }
        allUnused[at] = (allUnused[at] ?? 0) * discount + unused;
        allShortfall[at] = (allShortfall[at] ?? 0) * discount + shortfall;
        at += 1;
      }
    }
  }

  /**
   * The mean of the predictors with the lowest loss; null where no forecast is known.
   * @param forecasts for the hour to come
   * @param weight how much shortfall counts against what is left unused
   */
  decide(forecasts: Float64Array, weight: number): PanelDecision | null {
    const { margins } = this.#rules;
    const lowest = new Lowest();
    let at = 0;
    for (const forecast of forecasts) {
      const next = at + margins.length;
      if (Number.isNaN(forecast)) at = next;
      for (; at < next; at++) {
        const shortfall = this.#shortfall[at] ?? 0;
        lowest.offer(at, (this.#unused[at] ?? 0) + (shortfall < NEGLIGIBLE ? 0 : weight * shortfall));
      }
    }
    const count = lowest.places.length;
    if (count === 0) return null;
    let [value, forecast, margin] = [0, 0, 0];
    const chosen = lowest.places.map((place) => {
      const index = Math.floor(place / margins.length);
      const by = margins[place % margins.length] ?? 1;
      value += (forecasts[index] ?? 0) * by;
      forecast += forecasts[index] ?? 0;
      margin += by;
      return index;
    });
    return { value: value / count, forecast: forecast / count, margin: margin / count, chosen };
  }

  save(out: ByteWriter): void {
    out.f64(this.#used);
    out.f64(this.#points);
    out.codes(this.#unused, encodeValue, ZERO_CODE);
    out.codes(this.#shortfall, encodeValue, ZERO_CODE);
  }

  load(from: ByteReader): void {
    this.#used = from.f64();
    this.#points = from.f64();
    for (const sums of [this.#unused, this.#shortfall]) sums.set(from.codes(sums.length, ZERO_CODE).map(decodeValue));
  }
}

/** The few lowest of many, lowest first; of equals the earlier. */
class Lowest {
  readonly places: number[] = [];
  readonly #losses: number[] = [];
  #worst = Infinity;

  offer(place: number, loss: number): void {
    if (loss >= this.#worst) return;
    let rank = this.places.length < TOP_K ? this.places.length : TOP_K - 1;
    for (; rank > 0 && loss < (this.#losses[rank - 1] ?? 0); rank--) {
      this.places[rank] = this.places[rank - 1] ?? 0;
      this.#losses[rank] = this.#losses[rank - 1] ?? 0;
    }
    this.places[rank] = place;
    this.#losses[rank] = loss;
    if (this.places.length === TOP_K) this.#worst = this.#losses[TOP_K - 1] ?? Infinity;
  }
}
