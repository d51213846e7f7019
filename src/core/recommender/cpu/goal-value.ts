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

/** Places of a value's numbers in its state. */
const BASE = 0;
const LOWERED_AT_HOUR = 1;
const INCREASE = 2;
const DECIDED = 3;
const POINTS = 4;
const COVERED = 5;
const COVERAGE = 6;
/** Places with NaN before the first decision. */
const UNDECIDED: ReadonlySet<number> = new Set([BASE, LOWERED_AT_HOUR, DECIDED]);

/** The CPU request of one goal at one pace, and its coverage of usage: a view of its state in the model. */
export class GoalValue {
  /** Count of the numbers of its state. */
  static readonly SIZE = COVERAGE + CoverageShare.SIZE;
  readonly goal: Goal;
  readonly coverage: CoverageShare;
  readonly #rules: CpuPaceRules;
  readonly #state: number[];
  readonly #first: number;

  /** @param state numbers of all values; `first`: the place of this one's, of which there are `SIZE` */
  constructor(goal: Goal, rules: CpuPaceRules, state: number[], first: number) {
    this.goal = goal;
    this.coverage = new CoverageShare(state, first + COVERAGE);
    this.#rules = rules;
    this.#state = state;
    this.#first = first;
  }

  /** States of a number of values before their first decisions. */
  static createStates(count: number): number[] {
    return Array.from({ length: count * GoalValue.SIZE }, (_, at) => (UNDECIDED.has(at % GoalValue.SIZE) ? NaN : 0));
  }

  /** NaN before the first decision. */
  get base(): number {
    return this.#state[this.#first + BASE] ?? NaN;
  }

  set #base(value: number) {
    this.#state[this.#first + BASE] = value;
  }

  /** Hour in which the base last fell; NaN: never. */
  get #loweredAtHour(): number {
    return this.#state[this.#first + LOWERED_AT_HOUR] ?? NaN;
  }

  set #loweredAtHour(value: number) {
    this.#state[this.#first + LOWERED_AT_HOUR] = value;
  }

  get #increase(): number {
    return this.#state[this.#first + INCREASE] ?? 0;
  }

  set #increase(value: number) {
    this.#state[this.#first + INCREASE] = value;
  }

  /** Decision for the open hour; NaN before the first. */
  get #decided(): number {
    return this.#state[this.#first + DECIDED] ?? NaN;
  }

  set #decided(value: number) {
    this.#state[this.#first + DECIDED] = value;
  }

  /** Points of the open hour, and how many of them the request covered. */
  get #points(): number {
    return this.#state[this.#first + POINTS] ?? 0;
  }

  set #points(value: number) {
    this.#state[this.#first + POINTS] = value;
  }

  get #covered(): number {
    return this.#state[this.#first + COVERED] ?? 0;
  }

  set #covered(value: number) {
    this.#state[this.#first + COVERED] = value;
  }

  /** Request during a temporary increase; 0: there is none. */
  get increase(): number {
    return this.#increase > this.base ? this.#increase : 0;
  }

  /**
   * Applies the decision for `hour` to the base, outside its dead band.
   * @param isMeasured false: the hour before had no usage, so the base stays
   */
  decide(hour: number, decided: number, isMeasured: boolean): void {
    const { raiseRatio, confirmsRaises, lowerRatio, lowerIntervalHours } = this.#rules;
    const before = this.#decided;
    this.#decided = decided;
    if (!isMeasured) return;
    const sustained = confirmsRaises ? Math.min(before, decided) : decided;
    if (Number.isNaN(this.base)) {
      this.#base = decided;
      this.#loweredAtHour = hour;
    } else if (sustained > this.base * (1 + raiseRatio)) {
      this.#base = sustained;
    } else if (decided < this.base * (1 - lowerRatio) && !(hour - this.#loweredAtHour < lowerIntervalHours)) {
      this.#base = decided;
      this.#loweredAtHour = hour;
    }
  }

  /** Raises the base before its hour begins, if the hour needs at least `RAMP_RATIO` more. */
  raiseAhead(decided: number): void {
    if (decided > this.base * (1 + RAMP_RATIO)) this.#base = decided;
  }

  /** Keeps the base at or above that of the goal before it in `GOALS`. */
  raiseTo(other: GoalValue): void {
    if (!(this.base < other.base)) return;
    this.#base = other.base;
    if (!(this.#loweredAtHour > other.#loweredAtHour)) this.#loweredAtHour = other.#loweredAtHour;
  }

  /** Counts one point; a point above the request raises it at once. */
  observe(usage: number): void {
    if (Number.isNaN(this.base)) return;
    const request = Math.max(this.base, this.#increase);
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
    if (!(highest > this.base)) this.#increase = 0;
    else if (isFullHour && highest * INCREASE_RATIO < this.#increase * (1 - INCREASE_FALL_RATIO)) this.#increase = highest * INCREASE_RATIO;
  }

  /** Closes the hour and records its covered share. */
  endHour(): void {
    if (this.#points > 0) this.coverage.add(this.#covered / this.#points);
    this.#points = 0;
    this.#covered = 0;
  }

  save(out: ByteWriter): void {
    for (const value of [this.base, this.#loweredAtHour, this.#increase]) out.f64(value);
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
