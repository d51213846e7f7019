// Online model of a container's CPU: 5-minute points in, a request for each goal and pace out. The request for an hour
// depends only on usage before it.

import { maxKnown } from '../history/max-known.ts';
import type { Goal, Pace } from '../advice.ts';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { GoalValue, type HourDecision } from './goal-value.ts';
import { HistogramBank } from '../history/histogram-bank.ts';
import { HourRing } from '../history/hour-ring.ts';
import type { ModelStore } from '../history/model-store.ts';
import { PredictorPanel } from '../prediction/predictor-panel.ts';
import {
  forecastHour,
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

interface Bounds {
  readonly floor: number;
  readonly cap: number;
}

/** Paces, in the order of their state in checkpoints. */
const PACES: readonly Pace[] = ['Daily', 'Hourly'];

/** CPU requests of one container. Slots count from the epoch. */
export class CpuModel {
  readonly #bank: HistogramBank;
  readonly #ring: HourRing;
  readonly #recent = new RecentHighs();
  readonly #panels: Readonly<Record<Pace, PredictorPanel>>;
  /** State of the values by pace, then by goal in the order of `GOALS`. */
  readonly #values = GoalValue.createStates(PACES.length * GOALS.length);
  /** The open hour (since the epoch), and its points in order of time. */
  #hour = -1;
  #slot = -1;
  #points: number[] = [];
  #latest = NaN;
  #hoursKnown = 0;
  /** Peaks at the end of the hour before the open one. */
  #hourEndPeaks: HourEndPeaks = NO_HOUR_END_PEAKS;

  constructor(store: ModelStore) {
    const panelOf = (pace: Pace) => {
      const [first, end] = PREDICTOR_SPANS[pace];
      return new PredictorPanel(end - first, CPU_RULES[pace], store.addSection());
    };
    this.#panels = { Daily: panelOf('Daily'), Hourly: panelOf('Hourly') };
    this.#ring = new HourRing(RING_HOURS, UPPER_HOURS, store.addSection(), store.addSection());
    this.#bank = new HistogramBank(CPU_HALF_LIVES_HOURS, store.addSection());
  }

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
    for (const pace of PACES) for (const goalValue of this.#valuesOf(pace)) goalValue.observe(value);
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
    for (const pace of PACES) {
      // An increase ends with its hour at pace Hourly, and three hours after the last sample above the base at pace Daily.
      const highest = pace === 'Daily' ? this.#recent.highest : isNewHour ? NaN : Infinity;
      for (const value of this.#valuesOf(pace)) value.endIncrease(highest, isNewHour);
    }
    if (isRaisedAheadIn(slot) && !(isRaisedAheadIn(before) && hourOf(before) === hour)) this.#raiseAhead();
  }

  /** The value of a goal at a pace; undefined before the first full hour. */
  valueFor(goal: Goal, pace: Pace): GoalValue | undefined {
    const value = this.#valuesOf(pace)[GOALS.indexOf(goal)];
    return value === undefined || Number.isNaN(value.base) ? undefined : value;
  }

  /** The decision of a goal at a pace for the open hour, computed again: its inputs change only when an hour ends. */
  decisionFor(goal: Goal, pace: Pace): HourDecision {
    return this.#decisionOf(goal, pace, this.#forecast(), this.#bounds());
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
    for (const pace of PACES) {
      this.#panels[pace].save(out);
      for (const value of this.#valuesOf(pace)) value.save(out);
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
    for (const pace of PACES) {
      this.#panels[pace].load(from);
      for (const value of this.#valuesOf(pace)) value.load(from);
    }
    if (this.#hoursKnown > 0) this.#decide(false);
  }

  #closeHour(hour: number): void {
    const points = this.#points;
    const elapsed = hour - this.#hour;
    for (const pace of PACES) for (const value of this.#valuesOf(pace)) value.endHour();
    if (points.length > 0) this.#updatePanel(points);
    this.#bank.decay(points.length > 0 ? elapsed - 1 : elapsed);
    this.#hourEndPeaks = elapsed === 1 ? findHourEndPeaks(points) : NO_HOUR_END_PEAKS;
    this.#hour = hour;
    this.#points = [];
    if (this.#hoursKnown > 0) this.#decide(points.length > 0);
  }

  #updatePanel(points: readonly number[]): void {
    if (this.#hoursKnown > 0) {
      const forecasts = this.#forecast();
      for (const pace of PACES) this.#panels[pace].addLoss(forecasts.subarray(...PREDICTOR_SPANS[pace]), points);
    }
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
    const forecasts = all.subarray(...PREDICTOR_SPANS.Hourly);
    let lowerGoal: GoalValue | undefined;
    for (const value of this.#valuesOf('Hourly')) {
      const decision = this.#panels.Hourly.decide(forecasts, CPU_RULES.Hourly.weights[value.goal]);
      if (decision !== null) value.raiseAhead(Math.min(decision.value, cap));
      if (lowerGoal !== undefined) value.raiseTo(lowerGoal);
      lowerGoal = value;
    }
  }

  /** Decides the open hour. @param isMeasured whether the hour before had usage; otherwise no value changes */
  #decide(isMeasured: boolean): void {
    const [forecasts, bounds] = [this.#forecast(), this.#bounds()];
    for (const pace of PACES) {
      let lowerGoal: GoalValue | undefined;
      for (const value of this.#valuesOf(pace)) {
        value.decide(this.#hour, this.#decisionOf(value.goal, pace, forecasts, bounds).decided, isMeasured);
        if (lowerGoal !== undefined) value.raiseTo(lowerGoal);
        lowerGoal = value;
      }
    }
  }

  /** Forecasts for the open hour. They are computed again where they are needed, since they take as much memory as the values of all goals. */
  #forecast(): Float64Array {
    const forecasts = createForecasts();
    forecastHour(this.#bank, this.#ring, this.#hour, this.#hourEndPeaks, forecasts);
    return forecasts;
  }

  /** Bounds of a decision for the open hour by peaks; NaN: none. */
  #bounds(): Bounds {
    return {
      floor: this.#hoursKnown < PEAK_ONLY_HOURS ? this.#ring.maxPeak(this.#hour, 24) * COLD_START_RATIO : NaN,
      cap: this.#ring.maxPeak(this.#hour, PEAK_HOURS) * MAX_OVER_PEAK,
    };
  }

  /** @param forecasts of both paces for the open hour */
  #decisionOf(goal: Goal, pace: Pace, forecasts: Float64Array, { floor, cap }: Bounds): HourDecision {
    const weight = CPU_RULES[pace].weights[this.#hoursKnown < COLD_START_HOURS ? 'Safe' : goal];
    const decision = this.#panels[pace].decide(forecasts.subarray(...PREDICTOR_SPANS[pace]), weight);
    const chosen = Math.min(decision?.value ?? 0, Number.isNaN(cap) ? Infinity : cap);
    const isColdStart = floor > chosen || decision === null;
    return { decided: isColdStart ? floor : chosen, panel: isColdStart ? null : decision };
  }

  /** Views of the values of a pace in the order of `GOALS`. */
  #valuesOf(pace: Pace): readonly GoalValue[] {
    const first = PACES.indexOf(pace) * GOALS.length;
    return GOALS.map((goal, at) => new GoalValue(goal, CPU_RULES[pace], this.#values, (first + at) * GoalValue.SIZE));
  }
}

/** Whether raises for the next hour have begun in a slot. */
function isRaisedAheadIn(slot: number): boolean {
  return slot >= 0 && (hourOf(slot) + 1) * SLOTS_PER_HOUR - slot <= RAISE_AHEAD_SLOTS;
}

function upperQuartile(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.75) - 1] ?? NaN;
}
