// Which rules to believe: every expert (a base forecast times a multiplier) is charged, hour after hour, for what it
// would have left unused and for the harm that it would have done. The charges fade, and the cheapest experts decide.
//
// An hour is replayed as it would have gone: where usage above the request lifts it at once, an expert that is too low
// does harm until the lift, not until the hour ends. Harm counts both what was missed and how often: many small
// overruns are felt as well as one large one. The two sums are kept apart, so that one panel answers for every goal:
// the cost is unused + weight × harm.

/** Experts whose values are averaged: one alone changes its mind too often. */
const COUNCIL = 4;
/** A sum below this is as good as nothing; the cheaper multiplier then decides. */
const NOTHING = 1e-9;

/** What harm costs, in units left unused. */
export interface HarmPrices {
  /** One unit missed for one point. */
  readonly missed: number;
  /** One point above the request, however little, in units of mean usage. */
  readonly overrun: number;
}

/** What a panel decided, and whom it believed. */
export interface PanelDecision {
  readonly value: number;
  /** The cheapest experts, cheapest first: index of the base forecast, and of the multiplier. */
  readonly council: readonly { readonly base: number; readonly multiplier: number }[];
}

/** Everything a panel remembers, for checkpoints. */
export interface PanelState {
  readonly unused: Float32Array;
  readonly harm: Float32Array;
  /** Faded sum of usage, and of its points. */
  readonly used: number;
  readonly points: number;
}

export interface ExpertPanelParts {
  readonly bases: number;
  readonly multipliers: readonly number[];
  readonly halfLifeHours: number;
  readonly prices: HarmPrices;
  /** Usage above the request lifts it to this multiple of that usage until the hour ends; null: nothing lifts it. */
  readonly reactionRatio: number | null;
}

export class ExpertPanel {
  readonly #parts: ExpertPanelParts;
  readonly #hourlyDecay: number;
  readonly #unused: Float32Array;
  readonly #harm: Float32Array;
  #used = 0;
  #points = 0;

  constructor(parts: ExpertPanelParts) {
    this.#parts = parts;
    this.#hourlyDecay = Math.pow(0.5, 1 / parts.halfLifeHours);
    this.#unused = new Float32Array(parts.bases * parts.multipliers.length);
    this.#harm = new Float32Array(parts.bases * parts.multipliers.length);
  }

  /**
   * Charges every expert for one hour.
   * @param forecasts base forecasts made before the hour; an expert without one is charged as if it had said 0
   * @param points the hour's usage, in order of time
   */
  charge(forecasts: Float64Array, points: readonly number[]): void {
    const { multipliers, prices, reactionRatio } = this.#parts;
    const total = points.reduce((sum, point) => sum + point, 0);
    const highest = points.reduce((most, point) => Math.max(most, point), 0);
    this.#used = this.#used * this.#hourlyDecay + total;
    this.#points = this.#points * this.#hourlyDecay + points.length;
    const overrunPrice = (prices.overrun * this.#used) / this.#points;
    const [allUnused, allHarm, decay] = [this.#unused, this.#harm, this.#hourlyDecay];
    let at = 0;
    for (const base of forecasts) {
      for (const multiplier of multipliers) {
        let given = Number.isNaN(base) ? 0 : base * multiplier;
        // Most experts cover the whole hour, and need no replay.
        const covers = highest <= given;
        let unused = covers ? given * points.length - total : 0;
        let harm = 0;
        for (const point of covers ? [] : points) {
          if (point <= given) {
            unused += given - point;
            continue;
          }
          harm += overrunPrice + prices.missed * (point - given);
          if (reactionRatio !== null) given = point * reactionRatio;
        }
        allUnused[at] = (allUnused[at] ?? 0) * decay + unused;
        allHarm[at] = (allHarm[at] ?? 0) * decay + harm;
        at += 1;
      }
    }
  }

  /** What was charged so far counts only this share from now on: usage is not what it was. */
  fade(share: number): void {
    for (let at = 0; at < this.#unused.length; at++) {
      this.#unused[at] = (this.#unused[at] ?? 0) * share;
      this.#harm[at] = (this.#harm[at] ?? 0) * share;
    }
    this.#used *= share;
    this.#points *= share;
  }

  /**
   * The mean of the cheapest experts; null where no base forecast knows anything.
   * @param forecasts base forecasts for the hour to come
   * @param weight how much harm counts against what is left unused
   */
  decide(forecasts: Float64Array, weight: number): PanelDecision | null {
    const { multipliers } = this.#parts;
    const cheapest = new Cheapest();
    let at = 0;
    for (const forecast of forecasts) {
      const next = at + multipliers.length;
      if (Number.isNaN(forecast)) at = next;
      for (; at < next; at++) {
        const harm = this.#harm[at] ?? 0;
        cheapest.offer(at, (this.#unused[at] ?? 0) + (harm < NOTHING ? 0 : weight * harm));
      }
    }
    const council = cheapest.places.map((place) => ({
      base: Math.floor(place / multipliers.length),
      multiplier: place % multipliers.length,
    }));
    if (council.length === 0) return null;
    const sum = council.reduce((total, { base, multiplier }) => total + (forecasts[base] ?? 0) * (multipliers[multiplier] ?? 1), 0);
    return { value: sum / council.length, council };
  }

  dump(): PanelState {
    return { unused: this.#unused, harm: this.#harm, used: this.#used, points: this.#points };
  }

  load({ unused, harm, used, points }: PanelState): void {
    this.#unused.set(unused);
    this.#harm.set(harm);
    this.#used = used;
    this.#points = points;
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
