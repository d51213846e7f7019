// Online model of a container's CPU: 5-minute points in, a request for each goal and pace out. The request for an hour
// depends only on usage before it.

import type { Goal, Pace } from '../advice.ts';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { GoalValue } from './goal-value.ts';
import { HistogramBank } from '../history/histogram-bank.ts';
import { HourRing } from '../history/hour-ring.ts';
import { PredictorPanel } from '../prediction/predictor-panel.ts';
import {
  forecastHour,
  maxKnown,
  createForecasts,
  NO_HOUR_END_PEAKS,
  PREDICTOR_SPANS,
  findHourEndPeaks,
  type HourEndPeaks,
} from '../prediction/predictors.ts';
import { RecentHighs } from './recent-highs.ts';
import {
  CPU_HALF_LIVES_HOURS,
  CPU_RULES,
  GOALS,
  INCREASE_SLOTS,
  MAX_OVER_PEAK,
  PEAK_ONLY_HOURS,
  RAISE_AHEAD_SLOTS,
  COLD_START_HOURS,
  COLD_START_RATIO,
} from '../recommender-rules.ts';
import { hourOf, SLOTS_PER_HOUR } from '../history/slots.ts';

/** Four weeks of peaks, which have each hour of the week four times, and a week of upper quartiles. */
const RING_HOURS = 672;
const UPPER_HOURS = 168;
/** Hours whose peaks cap a decision: two weeks. */
const PEAK_HOURS = 336;

/** Forecasts of one pace, their panel, and the values of each goal in the order of `GOALS`. */
interface PaceState {
  readonly pace: Pace;
  readonly forecasts: Float64Array;
  readonly panel: PredictorPanel;
  readonly values: readonly GoalValue[];
}

/** CPU requests of one container. Slots count from the epoch. */
export class CpuModel {
  readonly #bank = new HistogramBank(CPU_HALF_LIVES_HOURS);
  readonly #ring = new HourRing(RING_HOURS, UPPER_HOURS);
  readonly #recent = new RecentHighs();
  readonly #forecasts = createForecasts();
  readonly #paces: readonly PaceState[] = (['Daily', 'Hourly'] as const).map((pace) => {
    const forecasts = this.#forecasts.subarray(...PREDICTOR_SPANS[pace]);
    const panel = new PredictorPanel(forecasts.length, CPU_RULES[pace]);
    return { pace, forecasts, panel, values: GOALS.map((goal) => new GoalValue(goal, CPU_RULES[pace])) };
  });
  /** The open hour (since the epoch), and its points in order of time. */
  #hour = -1;
  #slot = -1;
  #points: number[] = [];
  #latest = NaN;
  #hoursKnown = 0;
  /** Peaks at the end of the hour before the open one. */
  #hourEndPeaks: HourEndPeaks = NO_HOUR_END_PEAKS;

  /** Last point; NaN before the first. */
  get latest(): number {
    return this.#latest;
  }

  /** Whether there is a point. */
  get isKnown(): boolean {
    return !Number.isNaN(this.#latest);
  }

  /** Adds the point of a slot. Slots must ascend. */
  addPoint(slot: number, value: number): void {
    this.advanceTo(slot);
    this.#points.push(value);
    this.#latest = value;
    this.#recent.add(slot, value);
    for (const { values } of this.#paces) for (const goalValue of values) goalValue.observe(value);
  }

  /** Moves to `slot` and closes the hours that end before it. */
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
      // An increase ends with its hour at pace Hourly, and three hours after the last sample above the base at pace Daily.
      const highest = pace === 'Daily' ? this.#recent.highest : isNewHour ? NaN : Infinity;
      for (const value of values) value.endIncrease(highest, isNewHour);
    }
    if (isRaisedAheadIn(slot) && !(isRaisedAheadIn(before) && hourOf(before) === hour)) this.#raiseAhead();
  }

  /** The value of a goal at a pace; undefined before the first full hour. */
  valueFor(goal: Goal, pace: Pace): GoalValue | undefined {
    const value = this.#paces.find((state) => state.pace === pace)?.values[GOALS.indexOf(goal)];
    return value === undefined || Number.isNaN(value.base) ? undefined : value;
  }

  /** Slot in which the increase of a value ends, unless usage exceeds its base again; null: there is no increase. */
  increaseEnd(value: GoalValue, pace: Pace): number | null {
    if (value.increase === 0) return null;
    if (pace === 'Hourly') return (this.#hour + 1) * SLOTS_PER_HOUR;
    const last = this.#recent.lastAbove(value.base);
    return last === null ? null : last + INCREASE_SLOTS + 1;
  }

  /** Highest point of the last `hours` hours and of the open hour; NaN: none. */
  peak(hours: number): number {
    const closed = this.#ring.maxPeak(this.#hour, hours);
    return this.#points.reduce((highest, point) => (Number.isNaN(highest) || point > highest ? point : highest), closed);
  }

  /** Highest point that is reached in one hour of `everyHours`, by the last `hours` closed hours; NaN: none. */
  peakReachedEvery(everyHours: number, hours: number): number {
    return this.#ring.peakReachedEvery(everyHours, this.#hour, hours);
  }

  /** Highest point of a closed hour (since the epoch); NaN: none. */
  peakAt(hour: number): number {
    return this.#ring.peakAt(hour);
  }

  /** Weighted percentile (0–1) of the whole history, half-life 14 days. */
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
    out.f64(this.#hourEndPeaks.quarter);
    out.f64(this.#hourEndPeaks.half);
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
    this.#hourEndPeaks = { quarter: from.f64(), half: from.f64() };
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
    if (points.length > 0) this.#updatePanel(points);
    this.#bank.decay(points.length > 0 ? elapsed - 1 : elapsed);
    this.#hourEndPeaks = elapsed === 1 ? findHourEndPeaks(points) : NO_HOUR_END_PEAKS;
    this.#hour = hour;
    this.#points = [];
    if (this.#hoursKnown > 0) this.#decide(points.length > 0);
  }

  #updatePanel(points: readonly number[]): void {
    if (this.#hoursKnown > 0) for (const { panel, forecasts } of this.#paces) panel.addLoss(forecasts, points);
    const sorted = points.toSorted((a, b) => a - b);
    this.#bank.decay(1);
    for (const point of sorted) this.#bank.add(point);
    this.#ring.push(this.#hour, sorted.at(-1) ?? NaN, upperQuartile(sorted));
    this.#hoursKnown += 1;
  }

  /** Raises the values of pace Hourly for the next hour, with the open hour as the last one. */
  #raiseAhead(): void {
    if (this.#hoursKnown < COLD_START_HOURS || this.#points.length === 0) return;
    const sorted = this.#points.toSorted((a, b) => a - b);
    const open = { peak: sorted.at(-1) ?? NaN, upper: upperQuartile(sorted) };
    const all = createForecasts();
    forecastHour(this.#bank, this.#ring, this.#hour + 1, findHourEndPeaks(this.#points), all, open);
    const cap = maxKnown(this.#ring.maxPeak(this.#hour, PEAK_HOURS), open.peak) * MAX_OVER_PEAK;
    for (const { pace, panel, values } of this.#paces) {
      if (pace !== 'Hourly') continue;
      const forecasts = all.subarray(...PREDICTOR_SPANS[pace]);
      let lowerGoal: GoalValue | undefined;
      for (const value of values) {
        const decision = panel.decide(forecasts, CPU_RULES[pace].weights[value.goal]);
        if (decision !== null) value.raiseAhead(Math.min(decision.value, cap));
        if (lowerGoal !== undefined) value.raiseTo(lowerGoal);
        lowerGoal = value;
      }
    }
  }

  /** Decides the open hour. @param isMeasured whether the hour before had usage; otherwise no value changes */
  #decide(isMeasured: boolean): void {
    forecastHour(this.#bank, this.#ring, this.#hour, this.#hourEndPeaks, this.#forecasts);
    const floor = this.#hoursKnown < PEAK_ONLY_HOURS ? this.#ring.maxPeak(this.#hour, 24) * COLD_START_RATIO : NaN;
    const cap = this.#ring.maxPeak(this.#hour, PEAK_HOURS) * MAX_OVER_PEAK;
    for (const { pace, panel, forecasts, values } of this.#paces) {
      const { weights } = CPU_RULES[pace];
      let lowerGoal: GoalValue | undefined;
      for (const value of values) {
        const decision = panel.decide(forecasts, weights[this.#hoursKnown < COLD_START_HOURS ? 'Safe' : value.goal]);
        const chosen = Math.min(decision?.value ?? 0, Number.isNaN(cap) ? Infinity : cap);
        const isColdStart = floor > chosen || decision === null;
        value.decide(this.#hour, { decided: isColdStart ? floor : chosen, panel: isColdStart ? null : decision }, isMeasured);
        if (lowerGoal !== undefined) value.raiseTo(lowerGoal);
        lowerGoal = value;
      }
    }
  }
}

/** Whether raises for the next hour have begun in a slot. */
function isRaisedAheadIn(slot: number): boolean {
  return slot >= 0 && (hourOf(slot) + 1) * SLOTS_PER_HOUR - slot <= RAISE_AHEAD_SLOTS;
}

function upperQuartile(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.75) - 1] ?? NaN;
}
