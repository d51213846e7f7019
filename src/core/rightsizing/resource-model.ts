// One resource of one container, learnt on line: 5-minute points in, a decision for each goal at each pace out, hour by
// hour. What is decided for an hour is decided from what came before it.

import type { Goal } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { CALIBRATION_HOURS, DecisionLine } from './decision-line.ts';
import type { HourDecision } from './decision-line.ts';
import { ExpertPanel } from './expert-panel.ts';
import { forecastHour, forecasterCount, NO_TAIL, tailOf } from './forecasters.ts';
import type { HourTail } from './forecasters.ts';
import { HistogramBank } from './histogram-bank.ts';
import { HourRing } from './hour-ring.ts';
import { leakSuspected } from './leak.ts';
import { shiftedSince } from './level-shift.ts';
import { loadModelState, saveModelState } from './model-state.ts';
import { GOALS, PACES } from './resource-rules.ts';
import type { Pace, ResourceTuning } from './resource-rules.ts';

/** Length of one point. */
export const SLOT_MS = 300_000;
/** Points of an hour. */
const SLOTS_PER_HOUR = 12;
/** Peaks that bound a decision: two weeks. */
const PEAK_HOURS = 336;
/** After a level shift: the histograms slower than this one (8 h) go on from what it holds, and old charges count a fifth. */
const SHIFT_HISTOGRAM = 1;
const SHIFT_FADE = 0.2;
/** Hours in a row with usage above the value in force, after which a rise within the noise is believed, too. */
const TOO_LOW_HOURS = 6;

export class ResourceModel {
  readonly tuning: ResourceTuning;
  readonly bank: HistogramBank;
  readonly ring = new HourRing();
  /** One for the paces that react inside the hour, one for those that do not, where there are both. */
  readonly #panels: ReadonlyMap<boolean, ExpertPanel>;
  readonly #forecasts: Float64Array;
  /** Pace by pace, goal by goal, least careful first. */
  readonly #lines: readonly DecisionLine[];
  /** The hour under way (since the epoch), and its points in order of time. */
  #hour = -1;
  #points: number[] = [];
  #latest = NaN;
  #hoursScored = 0;
  #leaking = false;
  /** The end of the hour before the one under way. */
  #tail: HourTail = NO_TAIL;

  constructor(tuning: ResourceTuning) {
    this.tuning = tuning;
    const { forecasters, chargeHalfLifeHours: halfLifeHours, prices, paces } = tuning;
    const bases = forecasterCount(forecasters);
    this.bank = new HistogramBank(forecasters.halfLivesHours);
    this.#panels = new Map(
      PACES.map((pace) => paces[pace].reacts).map((reacts) => [
        reacts,
        new ExpertPanel({
          bases,
          multipliers: forecasters.multipliers,
          halfLifeHours,
          prices,
          reactionRatio: reacts ? tuning.reactionRatio : null,
        }),
      ]),
    );
    this.#forecasts = new Float64Array(bases).fill(NaN);
    this.#lines = PACES.flatMap((pace) => GOALS.map((goal) => new DecisionLine(paces[pace], goal)));
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

  /** Usage grows without end: the value in force does not follow it. */
  get leaking(): boolean {
    return this.#leaking;
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
    return this.#line(goal, pace)?.calibration() ?? { share: 0, hours: 0 };
  }

  /** Percentile over the whole known past (since the last change of level), older points weighing less (half-life 14 days). */
  percentile(percentile: number): number {
    return this.bank.percentile(this.tuning.forecasters.halfLivesHours.length - 1, percentile);
  }

  /** Appends the state to a checkpoint. */
  save(out: ByteWriter): void {
    saveModelState(out, {
      hour: this.#hour,
      hoursScored: this.#hoursScored,
      latest: this.#latest,
      points: this.#points,
      tail: this.#tail,
      ring: this.ring,
      bank: this.bank,
      panels: [...this.#panels.values()],
      lines: this.#lines,
    });
  }

  /** Takes over the state of a checkpoint of a version that is still read. */
  load(from: ByteReader, version: number): void {
    const { tuning, ring, bank } = this;
    const state = loadModelState(from, version, { tuning, ring, bank, panels: [...this.#panels.values()], lines: this.#lines });
    this.#hour = state.hour;
    this.#hoursScored = state.hoursScored;
    this.#latest = state.latest;
    this.#points = state.points;
    this.#tail = state.tail;
    if (this.#hoursScored > 0) this.#decideAll(false);
  }

  #roll(hour: number): void {
    const points = this.#points;
    const elapsed = hour - this.#hour;
    if (points.length > 0) {
      this.#learn(points);
      if (elapsed > 1) this.bank.decay(elapsed - 1);
    } else {
      this.bank.decay(elapsed);
    }
    for (let gap = this.#hour + (points.length > 0 ? 1 : 0); gap < Math.min(hour, this.#hour + CALIBRATION_HOURS); gap++) {
      for (const line of this.#lines) line.scoreUnknown(gap);
    }
    this.#tail = elapsed === 1 ? tailOf(points) : NO_TAIL;
    this.#hour = hour;
    this.#points = [];
    if (this.#hoursScored === 0) return;
    this.#followShift();
    this.#decideAll(points.length > 0);
  }

  #learn(points: readonly number[]): void {
    if (this.#hoursScored > 0) for (const panel of this.#panels.values()) panel.charge(this.#forecasts, points);
    for (const line of this.#lines) line.score(this.#hour, points, this.tuning);
    const sorted = points.toSorted((a, b) => a - b);
    this.bank.decay(1);
    for (const point of sorted) this.bank.add(point);
    this.ring.push(this.#hour, sorted.at(-1) ?? NaN, sorted[Math.ceil(sorted.length * 0.75) - 1] ?? NaN);
    this.#hoursScored += 1;
  }

  #followShift(): void {
    const since = shiftedSince(this.ring, this.#hour);
    if (since === null) return;
    this.ring.forecastFrom(since);
    this.bank.restartSlower(SHIFT_HISTOGRAM);
    for (const panel of this.#panels.values()) panel.fade(SHIFT_FADE);
  }

  /** @param informed usage was heard in the hour before: else nothing may be lowered or raised for it */
  #decideAll(informed: boolean): void {
    this.#leaking = this.tuning.watchLeaks && leakSuspected(this.ring, this.#hour);
    forecastHour(this.tuning.forecasters, this.bank, this.ring, this.#hour, this.#tail, this.#forecasts);
    const { priorHours, priorRatio, mostOverPeak } = this.tuning;
    const peaks = {
      prior: this.#hoursScored < priorHours ? this.ring.maxPeak(this.#hour, 24) * priorRatio : 0,
      most: this.ring.maxPeak(this.#hour, PEAK_HOURS) * mostOverPeak,
    };
    for (const [index, line] of this.#lines.entries()) {
      this.#decide(line, index % GOALS.length === 0 ? undefined : this.#lines[index - 1], peaks, informed);
    }
  }

  /** @param peaks the least of a young model, and the most of any; NaN where no peak is known */
  #decide(
    line: DecisionLine,
    lessCareful: DecisionLine | undefined,
    { prior, most }: { readonly prior: number; readonly most: number },
    informed: boolean,
  ): void {
    const { carefulHours } = this.tuning;
    const weight = this.#hoursScored < carefulHours ? line.pace.weights.Safe : line.weight;
    const panel = this.#panels.get(line.pace.reacts)?.decide(this.#forecasts, weight) ?? null;
    const fromPanel = panel?.value ?? 0;
    const decided = Math.max(Number.isNaN(most) ? fromPanel : Math.min(fromPanel, most), Number.isNaN(prior) ? 0 : prior);
    if (informed) line.hold(decided, this.#leaking, this.#usageAbove(line.held));
    if (lessCareful !== undefined) line.atLeast(lessCareful);
    const council = panel?.council ?? [];
    const base = council.reduce((sum, each) => sum + (this.#forecasts[each.base] ?? 0), 0) / Math.max(1, council.length);
    line.decision = { decided, base, council, prior: decided > fromPanel, held: line.held };
  }

  /** A quarter of the points of each of the last hours stood above a value. */
  #usageAbove(value: number): boolean {
    for (let back = 1; back <= TOO_LOW_HOURS; back++) if (!(this.ring.upperAt(this.#hour - back) > value)) return false;
    return true;
  }

  #line(goal: Goal, pace: Pace): DecisionLine | undefined {
    return this.#lines[PACES.indexOf(pace) * GOALS.length + GOALS.indexOf(goal)];
  }
}
