// The CPU request in force for one goal at one pace: the base, with its dead band and the least time between two
// reductions, and at pace Daily a temporary increase on top.

import type { Goal } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { CoverageShare } from './coverage-share.ts';
import type { PanelDecision } from './predictor-panel.ts';
import { CPU_RESOLUTION, INCREASE_FALL_RATIO, INCREASE_RATIO, RAMP_RATIO, type CpuPaceRules } from './recommender-rules.ts';

/** What the panel decided for the hour under way. */
export interface HourDecision {
  readonly decided: number;
  /** null: too young, the highest of the last day decides. */
  readonly panel: PanelDecision | null;
}

export class GoalValue {
  readonly goal: Goal;
  readonly #rules: CpuPaceRules;
  readonly coverage = new CoverageShare();
  decision: HourDecision | null = null;
  #base = NaN;
  /** Hour at whose beginning the base last fell; NaN: never. */
  #loweredAtHour = NaN;
  #increase = 0;
  /** Points of the hour under way, and those that were covered. */
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

  /** The temporary increase; 0 where there is none. */
  get increase(): number {
    return this.#increase > this.#base ? this.#increase : 0;
  }

  /**
   * Takes the decision for `hour`, and moves the base where it gives reason to.
   * @param moves false: the hour before was not seen, so the base stays
   */
  decide(hour: number, decision: HourDecision, moves: boolean): void {
    const { raiseRatio, confirmsRaises, lowerRatio, lowerEveryHours } = this.#rules;
    const before = this.decision?.decided ?? decision.decided;
    this.decision = decision;
    if (!moves) return;
    const { decided } = decision;
    const sustained = confirmsRaises ? Math.min(before, decided) : decided;
    if (Number.isNaN(this.#base)) {
      this.#base = decided;
      this.#loweredAtHour = hour;
    } else if (sustained > this.#base * (1 + raiseRatio)) {
      this.#base = sustained;
    } else if (decided < this.#base * (1 - lowerRatio) && !(hour - this.#loweredAtHour < lowerEveryHours)) {
      this.#base = decided;
      this.#loweredAtHour = hour;
    }
  }

  /** Raises the base for an hour that has not begun, where it needs so much more that it is a ramp. */
  raiseAhead(decided: number): void {
    if (decided > this.#base * (1 + RAMP_RATIO)) this.#base = decided;
  }

  /** A more careful goal never has a lower base than one that is less careful. */
  raiseTo(least: GoalValue): void {
    if (!(this.#base < least.#base)) return;
    this.#base = least.#base;
    if (!(this.#loweredAtHour > least.#loweredAtHour)) this.#loweredAtHour = least.#loweredAtHour;
  }

  /** Takes one point: above the request it raises it at once. */
  observe(usage: number): void {
    if (Number.isNaN(this.#base)) return;
    const request = Math.max(this.#base, this.#increase);
    this.#points += 1;
    if (usage <= request * (1 + CPU_RESOLUTION)) this.#covered += 1;
    if (usage > request) this.#increase = usage * INCREASE_RATIO;
  }

  /**
   * Ends the increase where no recent sample was above the base; at a full hour lowers it to what they need.
   * @param highest recent sample; NaN: none
   */
  endIncrease(highest: number, isFullHour: boolean): void {
    if (this.#increase === 0) return;
    if (!(highest > this.#base)) this.#increase = 0;
    else if (isFullHour && highest * INCREASE_RATIO < this.#increase * (1 - INCREASE_FALL_RATIO)) this.#increase = highest * INCREASE_RATIO;
  }

  /** An hour is over: records what share of its points was covered. */
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
