// CPU advice: usage, margin, dead band, temporary increase, floor, ceiling, rounding.

import { HOUR_MS, MINUTE_MS, type DurationMs, type Ratio } from '#kube/units';
import { adviceBounds } from './advice-bounds.ts';
import type { RecommenderRules, ResourceAdvice } from './advice.ts';
import type { CpuModel } from './cpu-model.ts';
import { addFixedPercentile } from './fixed-percentile.ts';
import type { GoalValue } from './goal-value.ts';
import { describePredictor, knownOrZero, PREDICTOR_SPANS } from './predictors.ts';
import { CPU_RULES, INCREASE_RATIO, RAISE_AHEAD_SLOTS, YOUNG_RATIO } from './recommender-rules.ts';
import { SLOT_MS } from './slots.ts';
import { bounded, StepSum } from './step-sum.ts';

export interface CpuAdviceInputs {
  readonly rules: RecommenderRules;
  readonly historyMs: DurationMs;
  readonly confidence: Ratio;
  readonly isMeasured: boolean;
}

/** Advice on CPU; null before the first hour of usage is over. */
export function adviseCpu(model: CpuModel, { rules: all, historyMs, confidence, isMeasured }: CpuAdviceInputs): ResourceAdvice | null {
  const { pace, cpu: rules } = all;
  const value = model.valueFor(rules.goal, pace);
  if (value === undefined) return null;
  const sum = new StepSum('cpu');
  if (rules.percentile === null) addBase(sum, value, all);
  else addFixedPercentile(sum, model, { ...rules, percentile: rules.percentile });
  const base = bounded(sum.value, 'cpu', rules);
  const increases = value.increase > sum.value;
  if (increases) sum.to('increase', value.increase, increaseText(all));
  sum.round();
  sum.bound(rules);
  const target = sum.value;
  const end = increases ? model.increaseEnd(value, pace) : null;
  return {
    target,
    base,
    increase: end === null ? null : { until: end * SLOT_MS },
    ...adviceBounds(target, rules, {
      savings: model.valueFor('Savings', pace)?.base ?? target,
      safe: model.valueFor('Safe', pace)?.base ?? target,
      urgent: increases ? Math.round(value.increase / INCREASE_RATIO) : 0,
      historyMs,
    }),
    peak: Math.round(knownOrZero(model.peak(Math.ceil(all.historyWindowMs / HOUR_MS)))),
    recentPeak: Math.round(knownOrZero(model.peak(1))),
    latest: Math.round(model.latest),
    confidence,
    isMeasured,
    steps: sum.steps,
  };
}

function addBase(sum: StepSum, { base, decision }: GoalValue, { pace, cpu }: RecommenderRules): void {
  const decided = decision?.decided ?? base;
  const panel = decision?.panel ?? null;
  if (panel === null) {
    sum.to('usage', decided / YOUNG_RATIO, 'highest of the last 24 h, while there is too little history to choose by');
    sum.to('margin', decided, `${Math.round((YOUNG_RATIO - 1) * 100)} % on top, for the same reason`);
  } else {
    const names = [...new Set(panel.chosen.map((index) => describePredictor(PREDICTOR_SPANS[pace][0] + index)))];
    sum.to('usage', panel.forecast, `mean of the predictors with the lowest loss of late: ${names.join('; ')}`);
    sum.to('margin', decided, `their margins, × ${panel.margin.toFixed(2)} in the mean`);
  }
  const { lowerRatio, lowerEveryHours } = CPU_RULES[pace];
  const ahead = pace === 'Hourly' ? `rises ${(RAISE_AHEAD_SLOTS * SLOT_MS) / MINUTE_MS} minutes before an hour that needs more, and ` : '';
  const kept = `the base ${ahead}falls by more than ${Math.round(lowerRatio * 100)} %, at most once in ${lowerEveryHours} h`;
  sum.to('hold', base, base > decided ? kept : 'a small rise is noise');
  sum.addMargin(cpu);
}

function increaseText({ pace }: RecommenderRules): string {
  const until = pace === 'Daily' ? 'until usage has stayed below the base for 3 h' : 'until the hour ends';
  return `temporary increase: usage rose above the request; ${INCREASE_RATIO} × the highest of it, ${until}`;
}
