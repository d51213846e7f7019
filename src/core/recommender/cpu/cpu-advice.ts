// Target for CPU in steps: usage, margin, dead band, temporary increase or bursts, floor, ceiling, rounding.

import { formatCpu } from '#kube/quantity';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Ratio } from '#kube/units';
import { adviceBounds } from '../advice-bounds.ts';
import type { RecommenderRules, ResourceAdvice } from '../advice.ts';
import type { CpuModel } from './cpu-model.ts';
import { addFixedPercentile } from '../prediction/fixed-percentile.ts';
import type { GoalValue, HourDecision } from './goal-value.ts';
import { describePredictor, zeroIfNaN, PREDICTOR_SPANS } from '../prediction/predictors.ts';
import { CPU_RULES, INCREASE_RATIO, LASTING_HOURS, RAISE_AHEAD_SLOTS, COLD_START_RATIO } from '../recommender-rules.ts';
import { SLOT_MS } from '../history/slots.ts';
import { boundValue, ExplainedValue, marginText } from '../explained-value.ts';

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
  if (rules.percentile === null) addBase(sum, value, model.decisionFor(rules.goal, pace), all);
  else addFixedPercentile(sum, model, { ...rules, percentile: rules.percentile });
  if (all.lasting && rules.percentile === null) coverBursts(sum, model, all);
  const base = boundValue(sum.value, 'cpu', rules);
  const increases = !all.lasting && value.increase > sum.value;
  if (increases) sum.moveTo('increase', value.increase, increaseText(value.increase, all));
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

function addBase(sum: ExplainedValue, { base }: GoalValue, { decided, panel }: HourDecision, { pace, cpu }: RecommenderRules): void {
  if (panel === null) {
    sum.moveTo('usage', decided / COLD_START_RATIO, 'highest of the last 24 h: the history is too short to choose predictors');
    sum.moveTo('margin', decided, `${marginText(COLD_START_RATIO - 1)} while the history is short`);
  } else {
    const names = [...new Set(panel.chosen.map((index) => describePredictor(PREDICTOR_SPANS[pace][0] + index)))];
    const forecasts = names.length === 1 ? 'the forecast' : `average of the ${names.length} forecasts`;
    sum.moveTo('usage', panel.forecast, `${forecasts} that fitted this container best lately: ${names.join('; ')}`);
    sum.moveTo('margin', decided, `${marginText(panel.margin - 1)}, the one that fitted best with them`);
  }
  const { lowerRatio, lowerIntervalHours } = CPU_RULES[pace];
  const ahead =
    pace === 'Hourly' ? `; an increase is made ${(RAISE_AHEAD_SLOTS * SLOT_MS) / MINUTE_MS} minutes before the hour that needs it` : '';
  const decrease = `a decrease waits until the value is more than ${Math.round(lowerRatio * 100)} % lower, and is made at most once in ${lowerIntervalHours} h`;
  sum.moveTo('hold', base, base > decided ? `${decrease}${ahead}` : 'an increase this small is not made');
  sum.addMargin(cpu);
}

/** Raises a lasting value to the bursts of usage that are frequent: the forecasts alone rely on temporary increases for them. */
function coverBursts(sum: ExplainedValue, model: CpuModel, { cpu: { goal }, historyWindowMs }: RecommenderRules): void {
  const { every, text } = LASTING_HOURS[goal];
  const usage = model.peakReachedEvery(every, Math.ceil(historyWindowMs / HOUR_MS));
  const detail = `usage that is reached in ${text} (goal ${goal}), since no temporary increase raises a value that must hold for weeks`;
  if (usage > sum.value) sum.moveTo('bursts', usage, detail);
}

function increaseText(increase: number, { pace }: RecommenderRules): string {
  const until = pace === 'Daily' ? 'until usage has stayed below the base for 3 h' : 'until the hour ends';
  const highest = formatCpu(Math.round(increase / INCREASE_RATIO));
  return `usage above request: a temporary increase to ${INCREASE_RATIO} × the highest sample (${highest}), ${until}`;
}
