// CPU request of one goal at one pace: a base with a dead band and a minimum interval between reductions, and a temporary
// increase above it.

import type { Goal } from '../advice.ts';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { CoverageShare } from '../history/coverage-share.ts';
import type { PanelDecision } from '../prediction/predictor-panel.ts';
import { CPU_RESOLUTION, INCREASE_FALL_RATIO, INCREASE_RATIO, RAMP_RATIO, type CpuPaceRules } from '../recommender-rules.ts';

/** Decision for the open hour. */
export interface HourDecision {
  readonly decided: number;
  /** null: the history is too short, and the highest of the last day decides. */
  readonly panel: PanelDecision | null;
}

/** State of the CPU request of one goal at one pace, and its coverage of usage. */
export class GoalValue {
  readonly goal: Goal;
  readonly #rules: CpuPaceRules;
  readonly coverage = new CoverageShare();
  decision: HourDecision | null = null;
  #base = NaN;
  /** Hour in which the base last fell; NaN: never. */
  #loweredAtHour = NaN;
  #increase = 0;
  /** Points of the open hour, and how many of them the request covered. */
  #points = 0;
  #covered = 0;

  constructor(goal: Goal, rules: CpuPaceRules) {
    this.goal = goal;
    this.#rules = rules;
  }

  /** NaN before the first decision. */
  get base(): number {
    return this.#base;
  }

  /** Request during a temporary increase; 0: there is none. */
  get increase(): number {
    return this.#increase > this.#base ? this.#increase : 0;
  }

  /**
   * Applies the decision for `hour` to the base, outside its dead band.
   * @param isMeasured false: the hour before had no usage, so the base stays
   */
  decide(hour: number, decision: HourDecision, isMeasured: boolean): void {
    const { raiseRatio, confirmsRaises, lowerRatio, lowerIntervalHours } = this.#rules;
    const before = this.decision?.decided ?? decision.decided;
    this.decision = decision;
    if (!isMeasured) return;
    const { decided } = decision;
    const sustained = confirmsRaises ? Math.min(before, decided) : decided;
    if (Number.isNaN(this.#base)) {
      this.#base = decided;
      this.#loweredAtHour = hour;
    } else if (sustained > this.#base * (1 + raiseRatio)) {
      this.#base = sustained;
    } else if (decided < this.#base * (1 - lowerRatio) && !(hour - this.#loweredAtHour < lowerIntervalHours)) {
      this.#base = decided;
      this.#loweredAtHour = hour;
    }
  }

  /** Raises the base before its hour begins, if the hour needs at least `RAMP_RATIO` more. */
  raiseAhead(decided: number): void {
    if (decided > this.#base * (1 + RAMP_RATIO)) this.#base = decided;
  }

  /** Keeps the base at or above that of the goal before it in `GOALS`. */
  raiseTo(other: GoalValue): void {
    if (!(this.#base < other.#base)) return;
    this.#base = other.#base;
    if (!(this.#loweredAtHour > other.#loweredAtHour)) this.#loweredAtHour = other.#loweredAtHour;
  }

  /** Counts one point; a point above the request raises it at once. */
  observe(usage: number): void {
    if (Number.isNaN(this.#base)) return;
    const request = Math.max(this.#base, this.#increase);
    this.#points += 1;
    if (usage <= request * (1 + CPU_RESOLUTION)) this.#covered += 1;
    if (usage > request) this.#increase = usage * INCREASE_RATIO;
  }

  /**
   * Ends the increase if no recent sample exceeds the base; lowers it to the recent samples at a full hour.
   * @param highest highest recent sample; NaN: none
   */
  endIncrease(highest: number, isFullHour: boolean): void {
    if (this.#increase === 0) return;
    if (!(highest > this.#base)) this.#increase = 0;
    else if (isFullHour && highest * INCREASE_RATIO < this.#increase * (1 - INCREASE_FALL_RATIO)) this.#increase = highest * INCREASE_RATIO;
  }

  /** Closes the hour and records its covered share. */
  endHour(): void {
    if (this.#points > 0) this.coverage.add(this.#covered / this.#points);
    this.#points = 0;
    this.#covered = 0;
  }

  save(out: ByteWriter): void {
    for (const value of [this.#base, this.#loweredAtHour, this.#increase]) out.f64(value);
    out.u8(this.#points);
    out.u8(this.#covered);
    this.coverage.save(out);
  }

  load(from: ByteReader): void {
    this.#base = from.f64();
    this.#loweredAtHour = from.f64();
    this.#increase = from.f64();
    this.#points = from.u8();
    this.#covered = from.u8();
    this.coverage.load(from);
  }
}
