// Target for memory in steps: peak, margin, OOM kills, heap, floor, ceiling, rounding.

import { maxKnown } from '../history/max-known.ts';
import { fullHeapNeed, type ContainerRuntime } from '#kube/records/container-runtime';
import { formatMemory } from '#kube/quantity';
import { HOUR_MS, type Bytes, type DurationMs, type Ratio } from '#kube/units';
import { adviceBounds } from '../advice-bounds.ts';
import type { ResourceAdvice, ResourceRules } from '../advice.ts';
import { addFixedPercentile } from '../prediction/fixed-percentile.ts';
import type { MemoryModel } from './memory-model.ts';
import { zeroIfNaN } from '../prediction/predictors.ts';
import { MEMORY_LOWER_RATIO, MEMORY_MARGINS, MEMORY_PEAK_HOURS } from '../recommender-rules.ts';
import { roundUp, ExplainedValue, marginText } from '../explained-value.ts';

/** Requirements on memory besides its usage over time. */
export interface MemoryNeeds {
  readonly rules: ResourceRules;
  /** Minimum memory by OOM kills; 0: none. */
  readonly minMemoryByKills: Bytes;
  /** Language runtime and maximum heap; null: unknown. */
  readonly runtime: ContainerRuntime | null;
  /** Highest value of the open slot; NaN: none. */
  readonly openPeak: Bytes;
}

/** Inputs of memory advice besides the model. */
export interface MemoryAdviceInputs extends MemoryNeeds {
  readonly historyWindowMs: DurationMs;
  readonly historyMs: DurationMs;
  readonly confidence: Ratio;
  readonly isMeasured: boolean;
}

/** Advice for memory; the model needs at least one point. */
export function adviseMemory(model: MemoryModel, inputs: MemoryAdviceInputs): ResourceAdvice {
  const { rules, openPeak, minMemoryByKills, historyMs } = inputs;
  const sum = new ExplainedValue('memory');
  const level = maxKnown(model.level, openPeak);
  if (rules.percentile === null) addPeak(sum, model, level, rules);
  else addPercentile(sum, model, level, { ...rules, percentile: rules.percentile });
  if (minMemoryByKills > sum.value) sum.moveTo('oom', minMemoryByKills, 'an OOM kill at the limit showed that the limit is too small');
  sum.round();
  // Goal Savings requests the current heap size; limits still cover the maximum heap.
  if (rules.goal !== 'Savings') raiseToHeap(sum, inputs.runtime);
  sum.bound(rules);
  const target = sum.value;
  // A window without a measured point has the peak 0, while the level has an earlier one.
  const peakOf = (hours: number): Bytes => Math.round(zeroIfNaN(maxKnown(model.peak(hours), openPeak)));
  const recentPeak = peakOf(1);
  return {
    target,
    base: target,
    increase: null,
    ...adviceBounds(target, rules, {
      savings: level * MEMORY_MARGINS.Savings,
      safe: level * MEMORY_MARGINS.Safe,
      urgent: Math.max(minMemoryByKills, recentPeak),
      historyMs,
    }),
    peak: peakOf(Math.ceil(inputs.historyWindowMs / HOUR_MS)),
    recentPeak,
    latest: Math.round(Number.isNaN(openPeak) ? model.latest : openPeak),
    confidence: inputs.confidence,
    isMeasured: inputs.isMeasured,
    steps: sum.steps,
  };
}

/** Advice from OOM kills alone, for a container that was killed before its usage was measured; null: no kills. */
export function adviseFromKills({ rules, minMemoryByKills, openPeak }: Omit<MemoryNeeds, 'runtime'>): ResourceAdvice | null {
  if (minMemoryByKills <= 0) return null;
  const sum = new ExplainedValue('memory');
  sum.moveTo('oom', minMemoryByKills, 'an OOM kill at the limit showed that the limit is too small; no usage measured yet');
  sum.round();
  sum.bound(rules);
  const target = sum.value;
  const peak = Math.round(zeroIfNaN(openPeak));
  const base = { base: target, increase: null };
  return {
    target,
    ...base,
    lowerBound: target,
    upperBound: target,
    peak,
    recentPeak: peak,
    latest: peak,
    confidence: 0,
    isMeasured: !Number.isNaN(openPeak),
    steps: sum.steps,
  };
}

function addPeak(sum: ExplainedValue, model: MemoryModel, level: Bytes, rules: ResourceRules): void {
  const ratio = marginRatio(model, rules);
  const isLate = Math.round(model.peak(MEMORY_PEAK_HOURS)) < Math.round(level);
  const decrease = isLate
    ? `; a decrease waits until the value is more than ${Math.round(MEMORY_LOWER_RATIO * 100)} % lower, and is made at most once a day`
    : '';
  sum.moveTo('usage', level, `highest of the last 7 days and of the same weekday a week ago${decrease}`);
  sum.moveTo('margin', level * ratio, `${marginText(ratio - 1)}${rules.margin === null ? '' : ', set by the policy'}`);
}

/** A percentile below the peak risks an OOM kill, so it can only raise the request. */
function addPercentile(sum: ExplainedValue, model: MemoryModel, level: Bytes, rules: ResourceRules & { readonly percentile: Ratio }): void {
  addFixedPercentile(sum, model, rules);
  const floor = level * marginRatio(model, rules);
  if (floor <= sum.value) return;
  sum.moveTo('floor', floor, 'never less than the highest of the last 7 days and of the same weekday a week ago, and its margin');
}

function marginRatio(model: MemoryModel, { margin, goal }: ResourceRules): Ratio {
  return margin === null ? model.marginRatio(goal) : 1 + margin;
}

function raiseToHeap(sum: ExplainedValue, runtime: ContainerRuntime | null): void {
  const need = runtime === null ? null : fullHeapNeed(runtime);
  if (runtime === null || need === null || need <= sum.value) return;
  const heap = `${runtime.option} lets the heap of ${runtime.name} grow to ${formatMemory(runtime.heapBytes ?? 0)}`;
  sum.moveTo('floor', roundUp(need, 'memory'), `${heap}: the request covers it and the memory beside the heap`);
}
