// The constants of the two recommenders, in one place, each with its reason. They were tuned on VM, Borg and service
// traces (test/bench/rightsizing.bench.ts prints what they reach); the differences between CPU and memory come from what a
// shortage does: CPU above the request contends, memory above the limit kills.

import type { ForecasterSet } from './forecasters.ts';
import type { Goal } from './advice.ts';
import type { HarmPrices } from './expert-panel.ts';

/** How quickly values follow usage: `hourly` where a change costs next to nothing (in place), `calm` where each is dear. */
export type Pace = 'hourly' | 'calm';

/** What is decided at a pace, and when it takes the place of the value in force. */
export interface PaceTuning {
  /** How much harm counts against what is left unused: the one knob of a goal. Ascends from Savings to Safe. */
  readonly weights: Readonly<Record<Goal, number>>;
  /** Share of points that the values of a goal are to cover: what past ones covered is measured against it. */
  readonly coverGoals: Readonly<Record<Goal, number>>;
  /** A decision under (1 + raise) × the value in force does not raise it: noise. */
  readonly raiseRatio: number;
  /** A decision within this share under the value in force does not lower it. */
  readonly lowerRatio: number;
  /** Hours in a row that a lower decision must stand before it is believed. */
  readonly holdHours: number;
  /** A decision lower by this much, little though it is, is believed after `driftHours`: else the band would stay unused for ever. */
  readonly driftRatio: number;
  readonly driftHours: number;
  /** Usage above the target lifts it inside the hour. */
  readonly reacts: boolean;
}

/** How one resource is recommended. */
export interface ResourceTuning {
  readonly unit: 'millicores' | 'bytes';
  readonly forecasters: ForecasterSet;
  /** Memory of the experts' charges. Shorter forgets a weekly pattern's cost, longer is slow after a level shift. */
  readonly chargeHalfLifeHours: number;
  readonly prices: HarmPrices;
  readonly paces: Readonly<Record<Pace, PaceTuning>>;
  /** No decision stands further above the highest peak of the last 14 days: after a jump the panel would pay for the next. */
  readonly mostOverPeak: number;
  /** In the hour: usage above the target lifts it to this multiple of that usage until the hour ends. */
  readonly reactionRatio: number;
  /** Values are known no better than this: usage that stands above the value in force by no more counts as covered. */
  readonly resolutionRatio: number;
  /** Before the panel has this many hours behind it, the highest of the last day times `priorRatio` is the least. */
  readonly priorHours: number;
  readonly priorRatio: number;
  /** Before this many every goal decides as the most careful one does: what may come has hardly been seen. */
  readonly carefulHours: number;
  /** A leak is told apart from need, and not chased. */
  readonly watchLeaks: boolean;
}

const HALF_LIVES_HOURS = [2, 8, 24, 72, 336];
const WINDOWS_HOURS = [1, 3, 6, 12, 24, 48, 72, 168, 336];

export const CPU_TUNING: ResourceTuning = {
  unit: 'millicores',
  forecasters: {
    halfLivesHours: HALF_LIVES_HOURS,
    percentiles: [0.5, 0.8, 0.9, 0.95, 0.98, 0.995],
    windowsHours: WINDOWS_HOURS,
    multipliers: [0.8, 0.9, 1, 1.1, 1.25, 1.5, 2],
  },
  chargeHalfLifeHours: 36,
  // A missing core costs 24 spare ones; each 5 minutes above the request as much as 3.6 times the mean usage left unused for them.
  prices: { missed: 24, overrun: 3.6 },
  paces: {
    hourly: {
      weights: { Savings: 0.65, Balanced: 0.88, Safe: 1.9 },
      coverGoals: { Savings: 0.95, Balanced: 0.97, Safe: 0.985 },
      raiseRatio: 0.05,
      lowerRatio: 0.1,
      holdHours: 1,
      driftRatio: 0.03,
      driftHours: 96,
      reacts: true,
    },
    calm: {
      weights: { Savings: 0.6, Balanced: 0.82, Safe: 1.9 },
      coverGoals: { Savings: 0.95, Balanced: 0.97, Safe: 0.985 },
      raiseRatio: 0.07,
      lowerRatio: 0.15,
      holdHours: 4,
      driftRatio: 0.03,
      driftHours: 96,
      reacts: false,
    },
  },
  mostOverPeak: 1.15,
  reactionRatio: 1.1,
  // Half a bucket of a histogram.
  resolutionRatio: 0.025,
  // A day: each longer hour costs more than what it spares. A lone spike would size a second day, and raise live requests.
  priorHours: 24,
  priorRatio: 1.15,
  carefulHours: 48,
  watchLeaks: false,
};

export const MEMORY_TUNING: ResourceTuning = {
  unit: 'bytes',
  forecasters: {
    halfLivesHours: HALF_LIVES_HOURS,
    percentiles: [0.5, 0.9, 0.98, 0.995],
    windowsHours: WINDOWS_HOURS,
    multipliers: [1, 1.05, 1.1, 1.2, 1.35, 1.6, 2],
  },
  chargeHalfLifeHours: 48,
  // A kill costs all of it, however little was missing.
  prices: { missed: 1500, overrun: 5500 },
  paces: {
    hourly: {
      weights: { Savings: 0.75, Balanced: 1, Safe: 2 },
      coverGoals: { Savings: 0.9996, Balanced: 0.9999, Safe: 0.99997 },
      raiseRatio: 0,
      lowerRatio: 0.1,
      holdHours: 2,
      driftRatio: 0.03,
      driftHours: 72,
      reacts: true,
    },
    calm: {
      weights: { Savings: 0.75, Balanced: 1, Safe: 2 },
      coverGoals: { Savings: 0.9996, Balanced: 0.9999, Safe: 0.99997 },
      raiseRatio: 0,
      lowerRatio: 0.2,
      holdHours: 24,
      driftRatio: 0.03,
      driftHours: 120,
      reacts: true,
    },
  },
  mostOverPeak: 1.15,
  reactionRatio: 1.1,
  // Half a code: memory above its limit kills, so no more is let pass.
  resolutionRatio: 0.00035,
  priorHours: 48,
  priorRatio: 1.15,
  carefulHours: 48,
  watchLeaks: true,
};

/** In the order in which their state is kept. */
export const PACES: readonly Pace[] = ['hourly', 'calm'];

export const GOALS: readonly Goal[] = ['Savings', 'Balanced', 'Safe'];
