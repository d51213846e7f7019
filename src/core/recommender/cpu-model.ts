// CPU of one container, learned on line: 5-minute points in, a request for each goal at each pace out. What is decided for
// an hour is decided from what came before it.

import type { Goal, Pace } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { GoalValue } from './goal-value.ts';
import { HistogramBank } from './histogram-bank.ts';
import { HourRing } from './hour-ring.ts';
import { PredictorPanel } from './predictor-panel.ts';
import { forecastHour, greater, noForecasts, NO_TAIL, PREDICTOR_SPANS, tailOf, type HourTail } from './predictors.ts';
import { RecentHighs } from './recent-highs.ts';
import {
  CPU_HALF_LIVES_HOURS,
  CPU_RULES,
  GOALS,
  INCREASE_SLOTS,
  MAX_OVER_PEAK,
  PEAK_ONLY_HOURS,
  RAISE_AHEAD_SLOTS,
  YOUNG_HOURS,
  YOUNG_RATIO,
} from './recommender-rules.ts';
import { hourOf, SLOTS_PER_HOUR } from './slots.ts';

/** Four weeks of peaks, so that the same hour of the week is seen four times, and a week of upper quartiles. */
const RING_HOURS = 672;
const UPPER_HOURS = 168;
/** Peaks that bound a decision: two weeks. */
const PEAK_HOURS = 336;

/** Forecasts of one pace, their panel, and the values of each goal, least careful first. */
interface PaceState {
  readonly pace: Pace;
  readonly forecasts: Float64Array;
  readonly panel: PredictorPanel;
  readonly values: readonly GoalValue[];
}

export class CpuModel {
  readonly #bank = new HistogramBank(CPU_HALF_LIVES_HOURS);
  readonly #ring = new HourRing(RING_HOURS, UPPER_HOURS);
  readonly #recent = new RecentHighs();
  readonly #forecasts = noForecasts();
  readonly #paces: readonly PaceState[] = (['Daily', 'Hourly'] as const).map((pace) => {
    const forecasts = this.#forecasts.subarray(...PREDICTOR_SPANS[pace]);
    const panel = new PredictorPanel(forecasts.length, CPU_RULES[pace]);
    return { pace, forecasts, panel, values: GOALS.map((goal) => new GoalValue(goal, CPU_RULES[pace])) };
  });
  /** The hour under way (since the epoch), and its points in order of time. */
  #hour = -1;
  #slot = -1;
  #points: number[] = [];
  #latest = NaN;
  #hoursKnown = 0;
  /** How the hour before the one under way ended. */
  #tail: HourTail = NO_TAIL;

  /** Last point; NaN before the first. */
  get latest(): number {
    return this.#latest;
  }

  /** Anything was ever seen. */
  get isKnown(): boolean {
    return !Number.isNaN(this.#latest);
  }

  /** Takes the point of a slot. Slots ascend; the caller sees to it. */
  addPoint(slot: number, value: number): void {
    this.advanceTo(slot);
    this.#points.push(value);
    this.#latest = value;
    this.#recent.add(slot, value);
    for (const { values } of this.#paces) for (const each of values) each.observe(value);
  }

  /** Everything before `slot` is over: closes the hours that ended. */
  advanceTo(slot: number): void {
    if (slot <= this.#slot) return;
    const before = this.#slot;
    this.#slot = slot;
    const hour = hourOf(slot);
    if (this.#hour === -1) this.#hour = hour;
    const isNewHour = hour > this.#hour;
    if (isNewHour) this.#closeHour(hour);
    this.#recent.forgetBefore(slot);
    for (const { pace, values } of this.#paces) {
      // What pace Hourly raises inside an hour ends with it; pace Daily's increase outlives its cause by three hours.
      const highest = pace === 'Daily' ? this.#recent.highest : isNewHour ? NaN : Infinity;
      for (const value of values) value.endIncrease(highest, isNewHour);
    }
    if (isRaisedAheadIn(slot) && !(isRaisedAheadIn(before) && hourOf(before) === hour)) this.#raiseAhead();
  }

  /** The value of a goal at a pace; undefined before the first hour ended. */
  valueFor(goal: Goal, pace: Pace): GoalValue | undefined {
    const value = this.#paces.find((each) => each.pace === pace)?.values[GOALS.indexOf(goal)];
    return value === undefined || Number.isNaN(value.base) ? undefined : value;
  }

  /** Slot at whose end an increase of a goal's value ends, unless usage is above its base again; null: there is none. */
  increaseEnd(value: GoalValue, pace: Pace): number | null {
    if (value.increase === 0) return null;
    if (pace === 'Hourly') return (this.#hour + 1) * SLOTS_PER_HOUR;
    const last = this.#recent.lastAbove(value.base);
    return last === null ? null : last + INCREASE_SLOTS + 1;
  }

  /** Highest point of the last `hours` hours, the one under way included; NaN where none is known. */
  peak(hours: number): number {
    const closed = this.#ring.maxPeak(this.#hour, hours);
    return this.#points.reduce((most, point) => (Number.isNaN(most) || point > most ? point : most), closed);
  }

  /** Highest point of an hour (since the epoch) that is over; NaN where none is known. */
  peakAt(hour: number): number {
    return this.#ring.peakAt(hour);
  }

  /** Percentile over the whole known past, older points weighing less (half-life 14 days). */
  percentile(percentile: number): number {
    return this.#bank.percentile(CPU_HALF_LIVES_HOURS.length - 1, percentile);
  }

  save(out: ByteWriter): void {
    out.f64(this.#hour);
    out.f64(this.#slot);
    out.u32(this.#hoursKnown);
    out.f64(this.#latest);
    out.u8(this.#points.length);
    for (const point of this.#points) out.f64(point);
    out.f64(this.#tail.quarter);
    out.f64(this.#tail.half);
    this.#ring.save(out);
    this.#bank.save(out);
    this.#recent.save(out);
    for (const { panel, values } of this.#paces) {
      panel.save(out);
      for (const value of values) value.save(out);
    }
  }

  load(from: ByteReader): void {
    this.#hour = from.f64();
    this.#slot = from.f64();
    this.#hoursKnown = from.u32();
    this.#latest = from.f64();
    this.#points = Array.from({ length: from.u8() }, () => from.f64());
    this.#tail = { quarter: from.f64(), half: from.f64() };
    this.#ring.load(from);
    this.#bank.load(from);
    this.#recent.load(from);
    for (const { panel, values } of this.#paces) {
      panel.load(from);
      for (const value of values) value.load(from);
    }
    if (this.#hoursKnown > 0) this.#decide(false);
  }

  #closeHour(hour: number): void {
    const points = this.#points;
    const elapsed = hour - this.#hour;
    for (const { values } of this.#paces) for (const value of values) value.endHour();
    if (points.length > 0) this.#learn(points);
    this.#bank.decay(points.length > 0 ? elapsed - 1 : elapsed);
    this.#tail = elapsed === 1 ? tailOf(points) : NO_TAIL;
    this.#hour = hour;
    this.#points = [];
    if (this.#hoursKnown > 0) this.#decide(points.length > 0);
  }

  #learn(points: readonly number[]): void {
    if (this.#hoursKnown > 0) for (const { panel, forecasts } of this.#paces) panel.addLoss(forecasts, points);
    const sorted = points.toSorted((a, b) => a - b);
    this.#bank.decay(1);
    for (const point of sorted) this.#bank.add(point);
    this.#ring.push(this.#hour, sorted.at(-1) ?? NaN, upperQuartile(sorted));
    this.#hoursKnown += 1;
  }

  /** At pace Hourly raises the values for the hour to come, from what is known of the one under way. */
  #raiseAhead(): void {
    if (this.#hoursKnown < YOUNG_HOURS || this.#points.length === 0) return;
    const sorted = this.#points.toSorted((a, b) => a - b);
    const open = { peak: sorted.at(-1) ?? NaN, upper: upperQuartile(sorted) };
    const all = noForecasts();
    forecastHour(this.#bank, this.#ring, this.#hour + 1, tailOf(this.#points), all, open);
    const most = greater(this.#ring.maxPeak(this.#hour, PEAK_HOURS), open.peak) * MAX_OVER_PEAK;
    for (const { pace, panel, values } of this.#paces) {
      if (pace !== 'Hourly') continue;
      const forecasts = all.subarray(...PREDICTOR_SPANS[pace]);
      let lessCareful: GoalValue | undefined;
      for (const value of values) {
        const decision = panel.decide(forecasts, CPU_RULES[pace].weights[value.goal]);
        if (decision !== null) value.raiseAhead(Math.min(decision.value, most));
        if (lessCareful !== undefined) value.raiseTo(lessCareful);
        lessCareful = value;
      }
    }
  }

  /** @param moves usage was seen in the hour before: else no value moves */
  #decide(moves: boolean): void {
    forecastHour(this.#bank, this.#ring, this.#hour, this.#tail, this.#forecasts);
    const least = this.#hoursKnown < PEAK_ONLY_HOURS ? this.#ring.maxPeak(this.#hour, 24) * YOUNG_RATIO : NaN;
    const most = this.#ring.maxPeak(this.#hour, PEAK_HOURS) * MAX_OVER_PEAK;
    for (const { pace, panel, forecasts, values } of this.#paces) {
      const { weights } = CPU_RULES[pace];
      let lessCareful: GoalValue | undefined;
      for (const value of values) {
        const decision = panel.decide(forecasts, weights[this.#hoursKnown < YOUNG_HOURS ? 'Safe' : value.goal]);
        const chosen = Math.min(decision?.value ?? 0, Number.isNaN(most) ? Infinity : most);
        const isYoung = least > chosen || decision === null;
        value.decide(this.#hour, { decided: isYoung ? least : chosen, panel: isYoung ? null : decision }, moves);
        if (lessCareful !== undefined) value.raiseTo(lessCareful);
        lessCareful = value;
      }
    }
  }
}

/** Whether a slot is so near to the end of its hour that the raises of the next have begun. */
function isRaisedAheadIn(slot: number): boolean {
  return slot >= 0 && (hourOf(slot) + 1) * SLOTS_PER_HOUR - slot <= RAISE_AHEAD_SLOTS;
}

function upperQuartile(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.75) - 1] ?? NaN;
}
