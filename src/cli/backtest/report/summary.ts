// Result of a backtest as data: the document of --json, from which tables and reports are also created.

import type { EvenkeelSetting } from '../../../core/backtest/evenkeel-policy.ts';
import { type Method, METHODS } from '../../../core/backtest/methods.ts';
import { type MethodTotals, joinScores, type RefusalScore } from '../../../core/backtest/score.ts';
import { type Resource, RESOURCES, SLOTS_PER_DAY } from '../../../core/backtest/time-grid.ts';
import type { InputProblem } from '../find-recordings.ts';
import type { ReplayedWorkload } from '../replay-job.ts';

export type TotalsByMethod = Readonly<Record<Method, MethodTotals>>;

export interface OverallTotals {
  readonly workloads: number;
  /** Scored days, summed over all workloads. */
  readonly scoredDays: number;
  readonly methods: TotalsByMethod;
  /** Evenkeel's value divided by VPA's, minus 1: -0.25 is a quarter less; null where VPA's is 0. */
  readonly againstVpa: Readonly<Record<keyof MethodTotals, number | null>>;
}

export interface WorkloadTotals {
  readonly name: string;
  readonly source: string;
  readonly days: number;
  readonly warmUpDays: number;
  readonly resources: Readonly<Partial<Record<Resource, { readonly scoredDays: number; readonly methods: TotalsByMethod }>>>;
}

export interface BacktestSummary {
  readonly setting: EvenkeelSetting;
  readonly overall: Readonly<Partial<Record<Resource, OverallTotals>>>;
  readonly workloads: readonly WorkloadTotals[];
  readonly problems: readonly InputProblem[];
}

export function summarize(
  setting: EvenkeelSetting,
  workloads: readonly ReplayedWorkload[],
  problems: readonly InputProblem[],
): BacktestSummary {
  const overall: Partial<Record<Resource, OverallTotals>> = {};
  for (const resource of RESOURCES) {
    const scores = workloads.flatMap((workload) => workload.resources[resource]?.scores ?? []);
    if (scores.length > 0) overall[resource] = overallOf(scores);
  }
  return { setting, overall, workloads: workloads.map(figuresOf), problems };
}

function overallOf(scores: readonly Readonly<Record<Method, RefusalScore>>[]): OverallTotals {
  const methods = byMethod((method) => joinScores(scores.map((each) => each[method])));
  return {
    workloads: scores.length,
    scoredDays: scores.reduce((sum, each) => sum + each.evenkeel.slots / SLOTS_PER_DAY, 0),
    methods,
    againstVpa: compareTotals(methods.evenkeel, methods.vpa),
  };
}

function figuresOf({ name, source, days, warmUpDays, resources }: ReplayedWorkload): WorkloadTotals {
  const scored = RESOURCES.flatMap((resource) => {
    const scores = resources[resource]?.scores;
    if (scores === undefined) return [];
    return [
      [
        resource,
        { scoredDays: scores.evenkeel.slots / SLOTS_PER_DAY, methods: byMethod((method) => joinScores([scores[method]])) },
      ] as const,
    ];
  });
  return { name, source, days, warmUpDays, resources: Object.fromEntries(scored) };
}

function byMethod(figures: (method: Method) => MethodTotals): TotalsByMethod {
  return Object.fromEntries(METHODS.map((method) => [method, figures(method)])) as Record<Method, MethodTotals>;
}

/** Each value divided by the other method's, minus 1. */
export function compareTotals(ours: MethodTotals, theirs: MethodTotals): Readonly<Record<keyof MethodTotals, number | null>> {
  const names = Object.keys(ours) as (keyof MethodTotals)[];
  const change = (name: keyof MethodTotals) => (theirs[name] > 0 ? ours[name] / theirs[name] - 1 : null);
  return Object.fromEntries(names.map((name) => [name, change(name)])) as Record<keyof MethodTotals, number | null>;
}
