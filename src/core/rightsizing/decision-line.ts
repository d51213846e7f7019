// One goal at one pace: what is decided for the hour under way, what is in force, and how often that was enough.

import type { Goal } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { PanelDecision } from './expert-panel.ts';
import type { PaceTuning, ResourceTuning } from './resource-rules.ts';

/** Hours over which it is told how often the decisions would have been enough. */
export const CALIBRATION_HOURS = 168;
const UNKNOWN_SHARE = 255;
const FULL_SHARE = 254;

/** What was decided for the hour under way, for one goal. */
export interface HourDecision {
  /** What the panel says (or the prior, while the panel is young). */
  readonly decided: number;
  /** Mean of the council's forecasts before their multipliers. */
  readonly base: number;
  readonly council: PanelDecision['council'];
  /** The prior decided, not the panel. */
  readonly prior: boolean;
  /** The value in force: the decision, damped against noise and early decreases. */
  readonly held: number;
}

type ScoreTuning = Pick<ResourceTuning, 'reactionRatio' | 'resolutionRatio'>;

export class DecisionLine {
  readonly pace: PaceTuning;
  readonly weight: number;
  decision: HourDecision | null = null;
  #held = NaN;
  /** Hours in a row that the decision was lower by more than the band, and by more than the drift. */
  #lowerHours = 0;
  #driftHours = 0;
  /** Share of each past hour's points that the value in force covered: 0–254, 255 unknown. */
  readonly #shares = new Uint8Array(CALIBRATION_HOURS).fill(UNKNOWN_SHARE);

  constructor(pace: PaceTuning, goal: Goal) {
    this.pace = pace;
    this.weight = pace.weights[goal];
  }

  /** The value in force; NaN before the first. */
  get held(): number {
    return this.#held;
  }

  /**
   * Moves the value in force where the decision gives reason to.
   * @param frozen it may not rise
   * @param tooLow usage has stood above the value for hours: a rise is no noise, however small
   */
  hold(decided: number, frozen: boolean, tooLow: boolean): void {
    const { lowerRatio, driftRatio, driftHours, raiseRatio, holdHours } = this.pace;
    this.#lowerHours = decided < this.#held * (1 - lowerRatio) ? this.#lowerHours + 1 : 0;
    this.#driftHours = decided < this.#held * (1 - driftRatio) ? Math.min(this.#driftHours + 1, driftHours) : 0;
    const band = tooLow ? 0 : raiseRatio;
    const rises = Number.isNaN(this.#held) || (decided > this.#held * (1 + band) && !frozen);
    if (rises || this.#lowerHours >= holdHours || this.#driftHours >= driftHours) this.#put(decided);
  }

  /** A more careful goal never asks for less than one that cares less. */
  atLeast(less: DecisionLine): void {
    if (this.#held < less.held) this.#put(less.held);
  }

  /**
   * Notes what share of an hour the value in force covered, as it went.
   * @param points the hour's usage, in order of time
   * @param tuning `reactionRatio`: what usage above the value lifts it to; `resolutionRatio`: how far above it usage still
   * counts as covered
   */
  score(hour: number, points: readonly number[], { reactionRatio, resolutionRatio }: ScoreTuning): void {
    let given = this.#held;
    let covered = 0;
    for (const point of points) {
      if (point <= given * (1 + resolutionRatio)) covered += 1;
      else if (this.pace.reacts) given = point * reactionRatio;
    }
    this.#shares[hour % CALIBRATION_HOURS] = Number.isNaN(this.#held) ? UNKNOWN_SHARE : Math.round((covered / points.length) * FULL_SHARE);
  }

  /** Nothing was heard in an hour. */
  scoreUnknown(hour: number): void {
    this.#shares[hour % CALIBRATION_HOURS] = UNKNOWN_SHARE;
  }

  /** Share of points of the last 168 hours that were covered, and the hours known. */
  calibration(): { readonly share: number; readonly hours: number } {
    let sum = 0;
    let hours = 0;
    for (const share of this.#shares) {
      if (share === UNKNOWN_SHARE) continue;
      sum += share / FULL_SHARE;
      hours += 1;
    }
    return { share: hours === 0 ? 0 : sum / hours, hours };
  }

  /** Begins where another stands. */
  takeOver(from: DecisionLine): void {
    this.#put(from.#held);
    this.#shares.set(from.#shares);
  }

  save(out: ByteWriter): void {
    out.f64(this.#held);
    out.u8(this.#lowerHours);
    out.u8(this.#driftHours);
    for (const share of this.#shares) out.u8(share);
  }

  load(from: ByteReader): void {
    this.#held = from.f64();
    this.#lowerHours = from.u8();
    this.#driftHours = from.u8();
    for (let at = 0; at < CALIBRATION_HOURS; at++) this.#shares[at] = from.u8();
  }

  #put(value: number): void {
    this.#held = value;
    this.#lowerHours = 0;
    this.#driftHours = 0;
  }
}
