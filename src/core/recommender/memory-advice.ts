// Memory advice: the peak of days, margin, OOM kills, heap, floor, ceiling, rounding.

import { fullHeapNeed, type ContainerRuntime } from '#kube/records/container-runtime';
import { formatMemory } from '#kube/quantity';
import { HOUR_MS, type Bytes, type DurationMs, type Ratio } from '#kube/units';
import { adviceBounds } from './advice-bounds.ts';
import type { ResourceAdvice, ResourceRules } from './advice.ts';
import { addFixedPercentile } from './fixed-percentile.ts';
import type { MemoryModel } from './memory-model.ts';
import { greater, knownOrZero } from './predictors.ts';
import { MEMORY_LOWER_RATIO, MEMORY_MARGINS, MEMORY_PEAK_HOURS } from './recommender-rules.ts';
import { roundUp, StepSum } from './step-sum.ts';

/** What is known of memory beside its usage over time. */
export interface MemoryNeeds {
  readonly rules: ResourceRules;
  /** Memory that OOM kills ask for, 0 for none. */
  readonly oomNeed: Bytes;
  /** How far the heap of its runtime may grow; null where that is not known. */
  readonly runtime: ContainerRuntime | null;
  /** Highest value of the 5 minutes under way; NaN: none yet. */
  readonly openPeak: Bytes;
}

export interface MemoryAdviceInputs extends MemoryNeeds {
  readonly historyWindowMs: DurationMs;
  readonly historyMs: DurationMs;
  readonly confidence: Ratio;
  readonly isMeasured: boolean;
}

/** Advice on memory of which at least one point is known. */
export function adviseMemory(model: MemoryModel, inputs: MemoryAdviceInputs): ResourceAdvice {
  const { rules, openPeak, oomNeed, historyMs } = inputs;
  const sum = new StepSum('memory');
  const level = greater(model.level, openPeak);
  if (rules.percentile === null) addPeak(sum, model, level, rules);
  else addPercentile(sum, model, level, { ...rules, percentile: rules.percentile });
  if (oomNeed > sum.value) sum.to('oom', oomNeed, 'an OOM kill showed that the limit it hit was too small');
  sum.round();
  // Goal Savings counts on the heap staying as it is: a limit below a full heap is never advised all the same.
  if (rules.goal !== 'Savings') raiseToHeap(sum, inputs.runtime);
  sum.bound(rules);
  const target = sum.value;
  // The last hours may be without a measured point, where level and history remember earlier ones.
  const peakOf = (hours: number): Bytes => Math.round(knownOrZero(greater(model.peak(hours), openPeak)));
  const recentPeak = peakOf(1);
  return {
    target,
    base: target,
    increase: null,
    ...adviceBounds(target, rules, {
      savings: level * MEMORY_MARGINS.Savings,
      safe: level * MEMORY_MARGINS.Safe,
      urgent: Math.max(oomNeed, recentPeak),
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

/** What OOM kills alone ask for, while no usage is known: a container may die before it was ever measured. Null without a kill. */
export function adviseFromKills({ rules, oomNeed, openPeak }: Omit<MemoryNeeds, 'runtime'>): ResourceAdvice | null {
  if (oomNeed <= 0) return null;
  const sum = new StepSum('memory');
  sum.to('oom', oomNeed, 'an OOM kill showed that the limit it hit was too small; no hour of usage is known yet');
  sum.round();
  sum.bound(rules);
  const target = sum.value;
  const seen = Math.round(knownOrZero(openPeak));
  const base = { base: target, increase: null };
  return {
    target,
    ...base,
    lowerBound: target,
    upperBound: target,
    peak: seen,
    recentPeak: seen,
    latest: seen,
    confidence: 0,
    isMeasured: !Number.isNaN(openPeak),
    steps: sum.steps,
  };
}

function addPeak(sum: StepSum, model: MemoryModel, level: Bytes, rules: ResourceRules): void {
  const ratio = marginRatio(model, rules);
  const isLate = Math.round(model.peak(MEMORY_PEAK_HOURS)) < Math.round(level);
  const kept = isLate ? `; it falls by more than ${Math.round(MEMORY_LOWER_RATIO * 100)} %, at most once a day` : '';
  sum.to('usage', level, `highest of the last 7 days and of the same weekday a week ago${kept}`);
  sum.to(
    'margin',
    level * ratio,
    `${Number(((ratio - 1) * 100).toFixed(1))} % on top${rules.margin === null ? '' : ', fixed by the policy'}`,
  );
}

/** A percentile is often below what is used, and a kill costs a restart: it can only ask for more. */
function addPercentile(sum: StepSum, model: MemoryModel, level: Bytes, rules: ResourceRules & { readonly percentile: Ratio }): void {
  addFixedPercentile(sum, model, rules);
  const least = level * marginRatio(model, rules);
  if (least <= sum.value) return;
  sum.to('floor', least, 'never less than the highest of the last 7 days and of the same weekday a week ago, and its margin');
}

function marginRatio(model: MemoryModel, { margin, goal }: ResourceRules): Ratio {
  return margin === null ? model.marginRatio(goal) : 1 + margin;
}

function raiseToHeap(sum: StepSum, runtime: ContainerRuntime | null): void {
  const need = runtime === null ? null : fullHeapNeed(runtime);
  if (runtime === null || need === null || need <= sum.value) return;
  const heap = `${runtime.option} lets the heap of ${runtime.name} grow to ${formatMemory(runtime.heapBytes ?? 0)}`;
  sum.to('floor', roundUp(need, 'memory'), `${heap}: never less than that and what it needs beside it`);
}
