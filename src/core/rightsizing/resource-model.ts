// One resource of one container, learnt on line: 5-minute points in, a decision for each goal out, hour by hour. What
// is decided for an hour is decided from what came before it.

import type { Goal } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { ExpertPanel } from './expert-panel.ts';
import type { PanelDecision } from './expert-panel.ts';
import { forecastHour, forecasterCount } from './forecasters.ts';
import { HistogramBank } from './histogram-bank.ts';
import { HourRing, RING_HOURS, UPPER_HOURS } from './hour-ring.ts';
import { leakSuspected } from './leak.ts';
import { decodeValue, encodeValue, ZERO_CODE } from './log-scale.ts';
import { GOALS, PACES } from './resource-rules.ts';
import type { Pace, PaceTuning, ResourceTuning } from './resource-rules.ts';

/** Length of one point. */
export const SLOT_MS = 300_000;
/** Points of an hour. */
const SLOTS_PER_HOUR = 12;
/** Hours over which it is told how often the decisions would have been enough. */
const CALIBRATION_HOURS = 168;
/** Peaks that bound a decision: two weeks. */
const PEAK_HOURS = 336;
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

/** One goal at one pace. */
interface Line {
  readonly pace: PaceTuning;
  readonly quantile: number;
  held: number;
  /** Hours in a row that the decision was lower by more than the band, and by more than the drift. */
  lowerHours: number;
  driftHours: number;
  decision: HourDecision | null;
  /** Share of each past hour's points that the held value covered: 0–254, 255 unknown. */
  readonly shares: Uint8Array;
}

export class ResourceModel {
  readonly tuning: ResourceTuning;
  readonly bank: HistogramBank;
  readonly ring = new HourRing();
  readonly #panel: ExpertPanel;
  readonly #forecasts: Float64Array;
  /** Pace by pace, goal by goal. */
  readonly #lines: readonly Line[];
  /** The hour under way (since the epoch), and its points in order of time. */
  #hour = -1;
  #points: number[] = [];
  #latest = NaN;
  #hoursScored = 0;
  #leaking = false;

  constructor(tuning: ResourceTuning) {
    this.tuning = tuning;
    const bases = forecasterCount(tuning.forecasters);
    this.bank = new HistogramBank(tuning.forecasters.halfLivesHours);
    this.#panel = new ExpertPanel(bases, tuning.forecasters.multipliers, tuning.chargeHalfLifeHours);
    this.#forecasts = new Float64Array(bases).fill(NaN);
    this.#lines = PACES.flatMap((pace) => GOALS.map((goal) => newLine(tuning.paces[pace], goal)));
  }

  /** Points of the hour under way. */
  get openPoints(): readonly number[] {
    return this.#points;
  }

  /** Last point; NaN before the first. */
  get latest(): number {
    return this.#latest;
  }

  /** Anything was ever seen. */
  get known(): boolean {
    return !Number.isNaN(this.#latest);
  }

  get hour(): number {
    return this.#hour;
  }

  /** Takes in the point of a slot (5 minutes since the epoch). Slots ascend; the caller sees to it. */
  addPoint(slot: number, value: number): void {
    this.advanceTo(slot);
    this.#points.push(value);
    this.#latest = value;
  }

  /** Everything before `slot` is over: closes the hours that ended. */
  advanceTo(slot: number): void {
    const hour = Math.floor(slot / SLOTS_PER_HOUR);
    if (this.#hour === -1) this.#hour = hour;
    if (hour > this.#hour) this.#roll(hour);
  }

  /** Usage grows without end: the value in force does not follow it. */
  get leaking(): boolean {
    return this.#leaking;
  }

  /** What is decided for the hour under way; null before the first hour ended. */
  decisionFor(goal: Goal, pace: Pace): HourDecision | null {
    return this.#line(goal, pace)?.decision ?? null;
  }

  /** Highest value of the last `hours` hours, the one under way included; NaN where none is known. */
  peak(hours: number): number {
    const closed = this.ring.maxPeak(this.#hour, hours);
    return this.#points.reduce((most, point) => (Number.isNaN(most) || point > most ? point : most), closed);
  }

  /** Share of points of the last 168 hours that a goal's values covered, and the hours known. */
  calibration(goal: Goal, pace: Pace): { readonly share: number; readonly hours: number } {
    let sum = 0;
    let hours = 0;
    for (const share of this.#line(goal, pace)?.shares ?? []) {
      if (share === UNKNOWN_SHARE) continue;
      sum += share / FULL_SHARE;
      hours += 1;
    }
    return { share: hours === 0 ? 0 : sum / hours, hours };
  }

  /** Percentile over the whole known past, older points weighing less (half-life 14 days). */
  percentile(percentile: number): number {
    return this.bank.percentile(this.tuning.forecasters.halfLivesHours.length - 1, percentile);
  }

  #roll(hour: number): void {
    const sorted = this.#points.toSorted((a, b) => a - b);
    const elapsed = hour - this.#hour;
    if (sorted.length > 0) {
      if (this.#hoursScored > 0) this.#panel.charge(this.#forecasts, sorted);
      this.#score(sorted);
      this.bank.decay(1);
      for (const point of sorted) this.bank.add(point);
      this.ring.push(this.#hour, sorted.at(-1) ?? NaN, sorted[Math.ceil(sorted.length * 0.75) - 1] ?? NaN);
      this.#hoursScored += 1;
      if (elapsed > 1) this.bank.decay(elapsed - 1);
    } else {
      this.bank.decay(elapsed);
    }
    for (let gap = this.#hour + (sorted.length > 0 ? 1 : 0); gap < Math.min(hour, this.#hour + CALIBRATION_HOURS); gap++) {
      for (const line of this.#lines) line.shares[gap % CALIBRATION_HOURS] = UNKNOWN_SHARE;
    }
    this.#hour = hour;
    this.#points = [];
    if (this.#hoursScored === 0) return;
    this.#leaking = this.tuning.watchLeaks && leakSuspected(this.ring, hour);
    forecastHour(this.tuning.forecasters, this.bank, this.ring, hour, this.#forecasts);
    for (const line of this.#lines) this.#decide(line, sorted.length > 0);
  }

  #score(sorted: readonly number[]): void {
    for (const line of this.#lines) {
      const covered = sorted.filter((point) => point <= line.held).length / sorted.length;
      line.shares[this.#hour % CALIBRATION_HOURS] = Number.isNaN(line.held) ? UNKNOWN_SHARE : Math.round(covered * FULL_SHARE);
    }
  }

  #line(goal: Goal, pace: Pace): Line | undefined {
    return this.#lines[PACES.indexOf(pace) * GOALS.length + GOALS.indexOf(goal)];
  }

  #decide(line: Line, informed: boolean): void {
    const panel = this.#panel.decide(this.#forecasts, line.quantile);
    const young = this.#hoursScored < this.tuning.priorHours;
    const prior = young ? this.ring.maxPeak(this.#hour, 24) * this.tuning.priorRatio : 0;
    const fromPanel = panel?.value ?? 0;
    const most = this.ring.maxPeak(this.#hour, PEAK_HOURS) * this.tuning.mostOverPeak;
    const decided = Math.max(Number.isNaN(most) ? fromPanel : Math.min(fromPanel, most), Number.isNaN(prior) ? 0 : prior);
    // An hour that nothing was heard of teaches nothing: it may neither lower nor raise.
    if (informed) hold(line, decided, this.#leaking);
    const bases = (panel?.council ?? []).map(({ base }) => this.#forecasts[base] ?? 0);
    const base = bases.reduce((sum, each) => sum + each, 0) / Math.max(1, bases.length);
    line.decision = { decided, base, council: panel?.council ?? [], prior: decided > fromPanel, held: line.held };
  }

  /** Appends the state to a checkpoint. Sums and weights are kept to 0.04 %, which moves no decision by more. */
  save(out: ByteWriter): void {
    out.f64(this.#hour);
    out.u32(this.#hoursScored);
    out.f64(this.#latest);
    out.u8(this.#points.length);
    for (const point of this.#points) out.f64(point);
    const { end, peaks, uppers } = this.ring.dump();
    const length = Math.min(end - this.#firstKnown(peaks, end), RING_HOURS);
    out.f64(end);
    out.u16(length);
    for (let hour = end - length; hour < end; hour++) {
      out.u16(peaks[hour % RING_HOURS] ?? 0);
    }
    for (const upper of uppers) out.u16(upper);
    const { base, width, weights } = this.bank.dump();
    out.u16(base);
    out.u16(width);
    out.codes(Array.from(weights, encodeWeight), ZERO_CODE);
    const { unused, missed } = this.#panel.dump();
    out.u16(unused.length);
    out.codes(Array.from(unused, encodeValue), ZERO_CODE);
    out.codes(Array.from(missed, encodeValue), ZERO_CODE);
    for (const line of this.#lines) {
      out.f64(line.held);
      out.u8(line.lowerHours);
      out.u8(line.driftHours);
      for (const share of line.shares) out.u8(share);
    }
  }

  /** Takes over the state of a checkpoint of a version that is still read. */
  load(from: ByteReader, version: number): void {
    this.#hour = from.f64();
    this.#hoursScored = from.u32();
    this.#latest = from.f64();
    this.#points = Array.from({ length: from.u8() }, () => from.f64());
    const end = from.f64();
    const length = from.u16();
    const peaks = new Uint16Array(RING_HOURS);
    for (let hour = end - length; hour < end; hour++) peaks[hour % RING_HOURS] = from.u16();
    this.ring.load(
      end,
      peaks,
      Uint16Array.from({ length: UPPER_HOURS }, () => from.u16()),
    );
    const base = from.u16();
    const width = from.u16();
    const weights = from.codes(width * this.tuning.forecasters.halfLivesHours.length, ZERO_CODE);
    this.bank.load(base, width, Float32Array.from(weights, decodeWeight));
    const experts = from.u16();
    const sums = () => Float32Array.from(from.codes(experts, ZERO_CODE), decodeValue);
    this.#panel.load(sums(), sums());
    // Version 1 knew no calm: its values begin where the hourly ones stand.
    for (const line of this.#lines.slice(0, version === 1 ? GOALS.length : undefined)) {
      line.held = from.f64();
      line.lowerHours = from.u8();
      line.driftHours = from.u8();
      for (let at = 0; at < CALIBRATION_HOURS; at++) line.shares[at] = from.u8();
    }
    if (version === 1) for (const goal of GOALS) takeOver(this.#line(goal, 'hourly'), this.#line(goal, 'calm'));
    if (this.#hoursScored === 0) return;
    this.#leaking = this.tuning.watchLeaks && leakSuspected(this.ring, this.#hour);
    forecastHour(this.tuning.forecasters, this.bank, this.ring, this.#hour, this.#forecasts);
    for (const line of this.#lines) this.#decide(line, false);
  }

  #firstKnown(peaks: Uint16Array, end: number): number {
    let first = Math.max(0, end - RING_HOURS);
    while (first < end && peaks[first % RING_HOURS] === 0) first += 1;
    return first;
  }
}

function newLine(pace: PaceTuning, goal: Goal): Line {
  const shares = new Uint8Array(CALIBRATION_HOURS).fill(UNKNOWN_SHARE);
  return { pace, quantile: pace.quantiles[goal], held: NaN, lowerHours: 0, driftHours: 0, decision: null, shares };
}

function takeOver(from: Line | undefined, to: Line | undefined): void {
  if (from === undefined || to === undefined) return;
  to.held = from.held;
  to.shares.set(from.shares);
}

function hold(line: Line, decided: number, frozen: boolean): void {
  const { pace } = line;
  line.lowerHours = decided < line.held * (1 - pace.lowerRatio) ? line.lowerHours + 1 : 0;
  line.driftHours = decided < line.held * (1 - pace.driftRatio) ? Math.min(line.driftHours + 1, pace.driftHours) : 0;
  const rises = Number.isNaN(line.held) || (decided > line.held * (1 + pace.raiseRatio) && !frozen);
  if (!rises && line.lowerHours < pace.holdHours && line.driftHours < pace.driftHours) return;
  line.held = decided;
  line.lowerHours = 0;
  line.driftHours = 0;
}

// Histogram weights lie between 10^-5 and some thousands: the value scale, moved up.
const WEIGHT_SCALE = 1e4;

function encodeWeight(weight: number): number {
  return encodeValue(weight * WEIGHT_SCALE);
}

function decodeWeight(code: number): number {
  return decodeValue(code) / WEIGHT_SCALE;
}
