// Constants of the CPU and memory models, each with its reason. They are tuned on VM, Borg and service traces;
// test/bench/rightsizing.bench.ts prints their results.

import { HOUR_MS, type DurationMs, type Ratio } from '#kube/units';
import type { Goal, Pace } from './advice.ts';

/** Goals by ascending request; also the order of their state in checkpoints. */
export const GOALS: readonly Goal[] = ['Savings', 'Balanced', 'Safe'];

/** Minimum usage for a recommendation. Reductions need more, by their confidence; raises do not. */
export const MIN_HISTORY_MS: DurationMs = HOUR_MS;
/** Cold start: with less history the margin is at least `COLD_START_RATIO`, and CPU uses the weights of goal Safe. */
export const COLD_START_HOURS = 48;
export const COLD_START_RATIO = 1.15;
/** For the first day CPU is sized by its peak. A longer span costs more than it saves, since a single spike would size it. */
export const PEAK_ONLY_HOURS = 24;
/** Maximum ratio of a CPU request to the peak of the last 14 days: after a jump the panel would provide for another. */
export const MAX_OVER_PEAK = 1.15;
/** A CPU sample above the request raises it to this multiple of the sample. */
export const INCREASE_RATIO = 1.1;
/** Resolution of CPU percentiles, half a bucket: usage above the request by no more counts as covered. */
export const CPU_RESOLUTION = 0.025;

/** Cost of shortfall, in unused units. */
export interface LossPrices {
  /** Cost of one missing unit for one point. */
  readonly shortfall: number;
  /** Cost of one point above the request, by any amount, in units of mean usage. */
  readonly overrun: number;
}

/** Rules of CPU requests at one pace. */
export interface CpuPaceRules {
  /** Weight of shortfall relative to unused CPU; defines the goals. */
  readonly weights: Readonly<Record<Goal, number>>;
  /** Half-life of the predictors' losses, hours. */
  readonly lossHalfLifeHours: number;
  readonly prices: LossPrices;
  readonly margins: readonly number[];
  /** Whether usage above a predictor raises it for the rest of the hour, as it raises the request. */
  readonly raisesOnOverrun: boolean;
  /** Dead band upwards: a decision above the base by no more than this share does not raise it. */
  readonly raiseRatio: Ratio;
  /** Whether a raise takes two hours in a row: a single spike is covered by the temporary increase. */
  readonly confirmsRaises: boolean;
  /** Dead band downwards: a decision below the base by no more than this share does not lower it. */
  readonly lowerRatio: Ratio;
  /** Minimum hours between two reductions. */
  readonly lowerIntervalHours: number;
}

/** Half-lives of the CPU histograms, in hours; the longest also serves percentiles of the whole window. */
export const CPU_HALF_LIVES_HOURS = [2, 8, 24, 72, 336];

export const CPU_RULES: Readonly<Record<Pace, CpuPaceRules>> = {
  Daily: {
    // A missing core costs as much as 2.3 unused ones (Balanced), and each 5 minutes above the request as 60 % of the mean usage.
    // The temporary increase bounds the shortfall of a sample above the base, so that the number of such samples matters most.
    weights: { Savings: 1.2, Balanced: 2.33, Safe: 5.7 },
    prices: { shortfall: 1, overrun: 0.6 },
    // A week has every weekday.
    lossHalfLifeHours: 168,
    margins: [0.7, 0.85, 1, 1.1, 1.2, 1.4],
    raisesOnOverrun: false,
    raiseRatio: 0.02,
    confirmsRaises: true,
    lowerRatio: 0.1,
    lowerIntervalHours: 24,
  },
  Hourly: {
    weights: { Savings: 0.65, Balanced: 0.88, Safe: 1.9 },
    // A missing core costs 24 unused ones; each 5 minutes above the request 3.6 times the mean usage.
    prices: { shortfall: 24, overrun: 3.6 },
    lossHalfLifeHours: 36,
    margins: [0.8, 0.9, 1, 1.1, 1.25, 1.5, 2],
    raisesOnOverrun: true,
    raiseRatio: 0.05,
    confirmsRaises: false,
    lowerRatio: 0.1,
    lowerIntervalHours: 1,
  },
};

/**
 * At pace Hourly a raise for the next hour begins this many slots (20 minutes) before it: the next reconciliation takes up to
 * 5 minutes by default, and a node that has to start for it 5 to 10 minutes. More would cost more each hour.
 */
export const RAISE_AHEAD_SLOTS = 4;
/** Minimum rise that begins early: smaller raises fit on existing nodes. */
export const RAMP_RATIO: Ratio = 0.2;

/** A temporary increase of pace Daily ends after this many slots in a row (3 hours) at or below the base. */
export const INCREASE_SLOTS = 36;
/** Before its end it falls only by at least this share, at a full hour, because each fall is a resize. */
export const INCREASE_FALL_RATIO: Ratio = 0.5;

/** Target share of 5-minute points that the requests of a goal cover; calibration compares past coverage with it. */
export const COVERAGE_TARGETS: Readonly<Record<'cpu' | 'memory', Readonly<Record<Goal, Ratio>>>> = {
  cpu: { Savings: 0.95, Balanced: 0.97, Safe: 0.985 },
  memory: { Savings: 0.9996, Balanced: 0.9999, Safe: 0.99997 },
};

/** Window of the memory peak: the last 7 days and the same weekday a week ago, which begins up to a day before them. */
export const MEMORY_PEAK_HOURS = 8 * 24;
/** Factor on that peak. An OOM kill costs a restart, so every goal has a margin. */
export const MEMORY_MARGINS: Readonly<Record<Goal, Ratio>> = { Savings: 1.03, Balanced: 1.06, Safe: 1.15 };
/** Memory falls only by more than this share, and at most once in `MEMORY_LOWER_INTERVAL_HOURS`. */
export const MEMORY_LOWER_RATIO: Ratio = 0.1;
export const MEMORY_LOWER_INTERVAL_HOURS = 24;

/**
 * A lasting CPU value covers the usage that is reached in one hour of so many, by goal: no temporary increase raises it. Hours of whole
 * days, so that a daily burst is always or never covered (decision 30 has the figures).
 */
export const LASTING_HOURS: Readonly<Record<Goal, { readonly every: number; readonly text: string }>> = {
  Savings: { every: 6, text: 'four hours a day' },
  Balanced: { every: 12, text: 'two hours a day' },
  Safe: { every: 24, text: 'one hour a day' },
};
