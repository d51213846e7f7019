// The constants of the CPU and memory models, in one place, each with its reason. They were tuned on VM, Borg and service
// traces (test/bench/rightsizing.bench.ts prints what they reach).

import { HOUR_MS, type DurationMs, type Ratio } from '#kube/units';
import type { Goal, Pace } from './advice.ts';

/** In the order in which their state is stored. */
export const GOALS: readonly Goal[] = ['Savings', 'Balanced', 'Safe'];

/** Less usage than this recommends nothing. More is asked for by confidence, and of reductions alone: what is too small is raised at once. */
export const MIN_HISTORY_MS: DurationMs = HOUR_MS;
/** Less history than this gives the margin `YOUNG_RATIO` and, for CPU, the weights of goal Safe: little was seen of what may come. */
export const YOUNG_HOURS = 48;
export const YOUNG_RATIO = 1.15;
/** For the first day CPU is sized by its highest: each longer span costs more than what it saves, since a lone spike would size it. */
export const PEAK_ONLY_HOURS = 24;
/** No CPU request is further above the highest peak of the last 14 days: after a jump the panel would provide for the next. */
export const MAX_OVER_PEAK = 1.15;
/** A CPU sample above the request raises it to this multiple of the sample. */
export const INCREASE_RATIO = 1.1;
/** CPU percentiles are known no better than this, half a bucket: usage above the request by no more counts as covered. */
export const CPU_RESOLUTION = 0.025;

/** What shortfall costs, in units left unused. */
export interface LossPrices {
  /** One unit missed for one point. */
  readonly shortfall: number;
  /** One point above the request, however little, in units of mean usage. */
  readonly overrun: number;
}

/** How CPU requests are chosen at one pace. */
export interface CpuPaceRules {
  /** How much shortfall counts against unused CPU: what a goal means. Ascends from Savings to Safe. */
  readonly weights: Readonly<Record<Goal, number>>;
  /** Half-life of the predictors' losses, hours. */
  readonly lossHalfLifeHours: number;
  readonly prices: LossPrices;
  readonly margins: readonly number[];
  /** A predictor that is too low is raised by usage above it at once, as the request is. */
  readonly reacts: boolean;
  /** A decision above the value in force by no more than this share does not raise it. */
  readonly raiseRatio: Ratio;
  /** Only what two hours in a row decide raises the base: a lone spike is covered by the temporary increase. */
  readonly confirmsRaises: boolean;
  /** A decision below the value in force by no more than this share does not lower it. */
  readonly lowerRatio: Ratio;
  /** Hours between two reductions. */
  readonly lowerEveryHours: number;
}

/** Half-lives of the CPU histograms, hours; the slowest answers questions about the whole window, too. */
export const CPU_HALF_LIVES_HOURS = [2, 8, 24, 72, 336];

export const CPU_RULES: Readonly<Record<Pace, CpuPaceRules>> = {
  Daily: {
    // A missing core costs as much as 2.3 unused ones (Balanced), and each 5 minutes above the request as 60 % of the mean usage:
    // the temporary increase bounds what a sample above the base misses, so that the number of such samples matters most.
    weights: { Savings: 1.2, Balanced: 2.33, Safe: 5.7 },
    prices: { shortfall: 1, overrun: 0.6 },
    // A week: each weekday counts.
    lossHalfLifeHours: 168,
    margins: [0.7, 0.85, 1, 1.1, 1.2, 1.4],
    reacts: false,
    raiseRatio: 0.02,
    confirmsRaises: true,
    lowerRatio: 0.1,
    lowerEveryHours: 24,
  },
  Hourly: {
    weights: { Savings: 0.65, Balanced: 0.88, Safe: 1.9 },
    // A missing core costs 24 unused ones; each 5 minutes above the request 3.6 times the mean usage.
    prices: { shortfall: 24, overrun: 3.6 },
    lossHalfLifeHours: 36,
    margins: [0.8, 0.9, 1, 1.1, 1.25, 1.5, 2],
    reacts: true,
    raiseRatio: 0.05,
    confirmsRaises: false,
    lowerRatio: 0.1,
    lowerEveryHours: 1,
  },
};

/**
 * At pace Hourly a raise for the hour to come begins so many slots (20 minutes) before it: a raise needs the next look at the workload, at
 * most 5 minutes by default, and where it waits for capacity the start of a node, 5 to 10 minutes. More would be paid for each hour.
 */
export const RAISE_AHEAD_SLOTS = 4;
/** It begins early only where so much more is needed than is requested: smaller raises fit on nodes without a new one. */
export const RAMP_RATIO: Ratio = 0.2;

/** A temporary increase of pace Daily ends when this many slots in a row (3 hours) stayed at or below the base. */
export const INCREASE_SLOTS = 36;
/** Before its end it falls only by so much or more, at a full hour: each fall is a resize. */
export const INCREASE_FALL_RATIO: Ratio = 0.5;

/** Share of 5-minute points that a goal's values are to cover: what past ones covered is measured against it. */
export const COVER_GOALS: Readonly<Record<'cpu' | 'memory', Readonly<Record<Goal, Ratio>>>> = {
  cpu: { Savings: 0.95, Balanced: 0.97, Safe: 0.985 },
  memory: { Savings: 0.9996, Balanced: 0.9999, Safe: 0.99997 },
};

/** Memory: the highest of the last 7 days and of the same weekday a week ago, which begins up to a day before them. */
export const MEMORY_PEAK_HOURS = 8 * 24;
/** On top of that peak. A kill costs a restart, so every goal has one. */
export const MEMORY_MARGINS: Readonly<Record<Goal, Ratio>> = { Savings: 1.03, Balanced: 1.06, Safe: 1.15 };
/** Memory falls by more than this share, and at most once in so many hours. */
export const MEMORY_LOWER_RATIO: Ratio = 0.1;
export const MEMORY_LOWER_EVERY_HOURS = 24;
