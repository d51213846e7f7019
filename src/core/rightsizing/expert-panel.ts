// Which rules to believe: every expert (a base forecast times a multiplier) is charged, hour after hour, for what it
// would have left unused and for what it would have missed. The charges fade, and the cheapest experts decide.
//
// The two sums are kept apart, so that one panel answers for every goal: the cost at quantile tau is
// unused + tau / (1 - tau) × missed (the pinball loss up to a factor).

/** Experts whose values are averaged: one alone changes its mind too often. */
const COUNCIL = 5;
/** A sum below this is as good as nothing; the cheaper multiplier then decides. */
const NOTHING = 1e-9;

/** What a panel decided, and whom it believed. */
export interface PanelDecision {
  readonly value: number;
  /** The cheapest experts, cheapest first: index of the base forecast, and of the multiplier. */
  readonly council: readonly { readonly base: number; readonly multiplier: number }[];
}

export class ExpertPanel {
  readonly #multipliers: readonly number[];
  readonly #hourlyDecay: number;
  readonly #unused: Float32Array;
  readonly #missed: Float32Array;

  constructor(bases: number, multipliers: readonly number[], halfLifeHours: number) {
    this.#multipliers = multipliers;
    this.#hourlyDecay = Math.pow(0.5, 1 / halfLifeHours);
    this.#unused = new Float32Array(bases * multipliers.length);
    this.#missed = new Float32Array(bases * multipliers.length);
  }

  /**
   * Charges every expert for one hour.
   * @param forecasts base forecasts made before the hour; an expert without one is charged like the worst
   * @param points the hour's usage, ascending
   */
  charge(forecasts: Float64Array, points: readonly number[]): void {
    const sums = [0];
    for (const point of points) sums.push((sums.at(-1) ?? 0) + point);
    const total = sums[points.length] ?? 0;
    let at = 0;
    for (const base of forecasts) {
      const value = Number.isNaN(base) ? 0 : base;
      for (const multiplier of this.#multipliers) {
        const given = value * multiplier;
        let covered = 0;
        while (covered < points.length && (points[covered] ?? 0) <= given) covered += 1;
        const coveredSum = sums[covered] ?? 0;
        this.#unused[at] = (this.#unused[at] ?? 0) * this.#hourlyDecay + (given * covered - coveredSum);
        this.#missed[at] = (this.#missed[at] ?? 0) * this.#hourlyDecay + (total - coveredSum - given * (points.length - covered));
        at += 1;
      }
    }
  }

  /**
   * The mean of the cheapest experts at quantile `tau`; null where no base forecast knows anything.
   * @param forecasts base forecasts for the hour to come
   */
  decide(forecasts: Float64Array, tau: number): PanelDecision | null {
    const price = tau / (1 - tau);
    const cheapest = new Cheapest();
    let at = 0;
    for (const forecast of forecasts) {
      const next = at + this.#multipliers.length;
      if (Number.isNaN(forecast)) at = next;
      for (; at < next; at++) {
        const missed = this.#missed[at] ?? 0;
        cheapest.offer(at, (this.#unused[at] ?? 0) + (missed < NOTHING ? 0 : price * missed));
      }
    }
    const council = cheapest.places.map((place) => ({
      base: Math.floor(place / this.#multipliers.length),
      multiplier: place % this.#multipliers.length,
    }));
    if (council.length === 0) return null;
    const sum = council.reduce((total, { base, multiplier }) => total + (forecasts[base] ?? 0) * (this.#multipliers[multiplier] ?? 1), 0);
    return { value: sum / council.length, council };
  }

  /** For checkpoints. */
  dump(): { readonly unused: Float32Array; readonly missed: Float32Array } {
    return { unused: this.#unused, missed: this.#missed };
  }

  load(unused: Float32Array, missed: Float32Array): void {
    this.#unused.set(unused);
    this.#missed.set(missed);
  }
}

/** The few cheapest of many, cheapest first; of equals the earlier. */
class Cheapest {
  readonly places: number[] = [];
  readonly #costs: number[] = [];
  #worst = Infinity;

  offer(place: number, cost: number): void {
    if (cost >= this.#worst) return;
    let rank = this.places.length < COUNCIL ? this.places.length : COUNCIL - 1;
    for (; rank > 0 && cost < (this.#costs[rank - 1] ?? 0); rank--) {
      this.places[rank] = this.places[rank - 1] ?? 0;
      this.#costs[rank] = this.#costs[rank - 1] ?? 0;
    }
    this.places[rank] = place;
    this.#costs[rank] = cost;
    if (this.places.length === COUNCIL) this.#worst = this.#costs[COUNCIL - 1] ?? Infinity;
  }
}
