// Target for CPU in steps: usage, margin, dead band, temporary increase, floor, ceiling, rounding.

import { HOUR_MS, MINUTE_MS, type DurationMs, type Ratio } from '#kube/units';
import { adviceBounds } from './advice-bounds.ts';
import type { RecommenderRules, ResourceAdvice } from './advice.ts';
import type { CpuModel } from './cpu-model.ts';
import { addFixedPercentile } from './fixed-percentile.ts';
import type { GoalValue } from './goal-value.ts';
import { describePredictor, zeroIfNaN, PREDICTOR_SPANS } from './predictors.ts';
import { CPU_RULES, INCREASE_RATIO, RAISE_AHEAD_SLOTS, COLD_START_RATIO } from './recommender-rules.ts';
import { SLOT_MS } from './slots.ts';
import { boundValue, ExplainedValue } from './explained-value.ts';

/** Inputs of CPU advice besides the model. */
export interface CpuAdviceInputs {
  readonly rules: RecommenderRules;
  readonly historyMs: DurationMs;
  readonly confidence: Ratio;
  readonly isMeasured: boolean;
}

/** Advice for CPU; null before the first full hour of usage. */
export function adviseCpu(model: CpuModel, { rules: all, historyMs, confidence, isMeasured }: CpuAdviceInputs): ResourceAdvice | null {
  const { pace, cpu: rules } = all;
  const value = model.valueFor(rules.goal, pace);
  if (value === undefined) return null;
  const sum = new ExplainedValue('cpu');
  if (rules.percentile === null) addBase(sum, value, all);
  else addFixedPercentile(sum, model, { ...rules, percentile: rules.percentile });
  const base = boundValue(sum.value, 'cpu', rules);
  const increases = value.increase > sum.value;
  if (increases) sum.moveTo('increase', value.increase, increaseText(all));
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
    peak: Math.round(zeroIfNaN(model.peak(Math.ceil(all.historyWindowMs / HOUR_MS)))),
    recentPeak: Math.round(zeroIfNaN(model.peak(1))),
    latest: Math.round(model.latest),
    confidence,
    isMeasured,
    steps: sum.steps,
  };
}

function addBase(sum: ExplainedValue, { base, decision }: GoalValue, { pace, cpu }: RecommenderRules): void {
  const decided = decision?.decided ?? base;
  const panel = decision?.panel ?? null;
  if (panel === null) {
    sum.moveTo('usage', decided / COLD_START_RATIO, 'highest of the last 24 h: the history is too short to choose predictors');
    sum.moveTo('margin', decided, `${Math.round((COLD_START_RATIO - 1) * 100)} % margin while the history is short`);
  } else {
    const names = [...new Set(panel.chosen.map((index) => describePredictor(PREDICTOR_SPANS[pace][0] + index)))];
    sum.moveTo('usage', panel.forecast, `mean of the predictors with the lowest recent loss: ${names.join('; ')}`);
    sum.moveTo('margin', decided, `their mean margin, × ${panel.margin.toFixed(2)}`);
  }
  const { lowerRatio, lowerIntervalHours } = CPU_RULES[pace];
  const ahead = pace === 'Hourly' ? `rises ${(RAISE_AHEAD_SLOTS * SLOT_MS) / MINUTE_MS} minutes before an hour that needs more, and ` : '';
  const hysteresis = `the base ${ahead}falls only by more than ${Math.round(lowerRatio * 100)} %, at most once in ${lowerIntervalHours} h`;
  sum.moveTo('hold', base, base > decided ? hysteresis : 'the rise is within the dead band');
  sum.addMargin(cpu);
}

function increaseText({ pace }: RecommenderRules): string {
  const until = pace === 'Daily' ? 'until usage has stayed below the base for 3 h' : 'until the hour ends';
  return `temporary increase: usage exceeded the request; ${INCREASE_RATIO} × its highest sample, ${until}`;
}
