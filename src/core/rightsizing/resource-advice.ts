// From a decision to a number with its sum: usage, margin, hold, reaction, OOM kills, floor, ceiling, rounding.

import { fullHeapNeed, type ContainerRuntime } from '../model/container-runtime.ts';
import { formatMemory } from '../model/quantity.ts';
import { DAY_MS, HOUR_MS, MiB } from '../model/units.ts';
import type { DurationMs, Ratio } from '../model/units.ts';
import type { ExplanationStep, ResourceAdvice, ResourceRules } from './advice.ts';
import { describeForecaster } from './forecasters.ts';
import type { HourDecision } from './decision-line.ts';
import type { ResourceModel } from './resource-model.ts';
import type { Pace } from './resource-rules.ts';

/** Margin on a fixed percentile where the rules name none: VPA's and KRR's habit. */
const FIXED_MARGIN = 0.15;
/** A request this far under or over the target is never a matter of taste. */
const LEAST_SLACK_BELOW = 0.95;
const LEAST_SLACK_ABOVE = 1.1;
/** With one day of history the upper bound stands half as high again as with many. */
const YOUNG_WIDENING_DAYS = 0.5;

/** What is known of memory beside its usage over time. */
export interface MemoryNeeds {
  /** Memory that OOM kills ask for, 0 for none. */
  readonly oomNeed: number;
  /** How far the heap of its runtime may grow; null where that is not known. */
  readonly runtime: ContainerRuntime | null;
  /** What a container needs that is mostly page cache; null for others. */
  readonly cacheFreeNeed: number | null;
  /** Highest value of the 5 minutes under way where that must be reacted to at once (memory), else NaN. */
  readonly openPeak: number;
}

export interface ResourceAdviceInputs extends MemoryNeeds {
  readonly rules: ResourceRules;
  readonly pace: Pace;
  readonly historyWindowMs: DurationMs;
  readonly historyMs: DurationMs;
  readonly confidence: Ratio;
}

/** For a resource that is not memory. */
export const NO_MEMORY_NEEDS: MemoryNeeds = { oomNeed: 0, runtime: null, cacheFreeNeed: null, openPeak: NaN };

/** Advice on one resource; null before the first hour of usage is over. */
export function adviseResource(model: ResourceModel, inputs: ResourceAdviceInputs): ResourceAdvice | null {
  const { pace } = inputs;
  const decision = model.decisionFor(inputs.rules.goal, pace);
  if (decision === null) return null;
  const sum = new StepSum(model.tuning.unit);
  if (inputs.rules.percentile !== null) fixedSteps(sum, model, inputs.rules.percentile, inputs.rules.margin);
  else chosenSteps(sum, model, decision, inputs);
  const hourPeak = greatest(model.openPoints, inputs.openPeak);
  const cacheFree = reclaimCache(sum, model, inputs);
  const reacting = model.tuning.paces[pace].reacts && hourPeak > sum.value && !model.leaking && !cacheFree;
  if (reacting) {
    const ratio = model.tuning.reactionRatio;
    sum.to('reaction', hourPeak * ratio, `usage rose above it this hour: ${ratio} × the highest of this hour, until the hour ends`);
  }
  if (inputs.oomNeed > sum.value) sum.to('oom', inputs.oomNeed, 'an OOM kill showed that the limit it hit was too small');
  sum.to('rounding', roundUp(sum.value, model.tuning.unit), 'rounded up to a readable quantity');
  // Goal Savings counts on the heap staying as it is: a limit below a full heap is never advised all the same.
  if (inputs.rules.goal !== 'Savings') raiseToHeap(sum, inputs.runtime);
  const urgent = Math.max(reacting ? hourPeak : 0, inputs.oomNeed);
  bound(sum, inputs.rules);
  const target = sum.value;
  const lower = Math.max(urgent, Math.min(model.decisionFor('Savings', pace)?.held ?? target, target * LEAST_SLACK_BELOW));
  const widening = 1 + YOUNG_WIDENING_DAYS / Math.max(inputs.historyMs / DAY_MS, YOUNG_WIDENING_DAYS);
  const upper = Math.max(model.decisionFor('Safe', pace)?.held ?? target, target * LEAST_SLACK_ABOVE) * widening;
  const peak = greatest([model.peak(Math.ceil(inputs.historyWindowMs / HOUR_MS))], inputs.openPeak);
  return {
    target,
    lowerBound: Math.min(target, Math.max(inputs.rules.min, Math.floor(lower))),
    upperBound: Math.max(target, Math.ceil(Math.min(upper, inputs.rules.max ?? upper))),
    peak: Math.round(peak),
    recentPeak: Math.round(greatest([model.peak(1)], inputs.openPeak)),
    latest: Math.round(Number.isNaN(inputs.openPeak) ? model.latest : inputs.openPeak),
    confidence: inputs.confidence,
    steps: sum.steps,
  };
}

/** What OOM kills alone ask for, while no hour of usage is known: a container may die before it was ever measured. */
export function adviseFromKills({
  rules,
  oomNeed,
  openPeak,
}: Pick<ResourceAdviceInputs, 'rules' | 'oomNeed' | 'openPeak'>): ResourceAdvice {
  const sum = new StepSum('bytes');
  sum.to('oom', oomNeed, 'an OOM kill showed that the limit it hit was too small; no hour of usage is known yet');
  sum.to('rounding', roundUp(sum.value, 'bytes'), 'rounded up to a readable quantity');
  bound(sum, rules);
  const target = sum.value;
  const seen = Number.isNaN(openPeak) ? 0 : Math.round(openPeak);
  return { target, lowerBound: target, upperBound: target, peak: seen, recentPeak: seen, latest: seen, confidence: 0, steps: sum.steps };
}

function fixedSteps(sum: StepSum, model: ResourceModel, percentile: Ratio, margin: Ratio | null): void {
  const usage = percentile >= 1 ? model.peak(Infinity) : model.percentile(percentile);
  sum.to('usage', usage, `p${Number((percentile * 100).toFixed(2))} of usage, fixed by the policy`);
  const ratio = margin ?? FIXED_MARGIN;
  sum.to(
    'margin',
    usage * (1 + ratio),
    `${Number((ratio * 100).toFixed(1))} % on top${margin === null ? ' (the default for a fixed percentile)' : ''}`,
  );
}

function chosenSteps(sum: StepSum, model: ResourceModel, decision: HourDecision, { pace, rules: { margin } }: ResourceAdviceInputs): void {
  const { forecasters, priorRatio } = model.tuning;
  const { lowerRatio, holdHours } = model.tuning.paces[pace];
  if (decision.prior) {
    const peak = decision.decided / priorRatio;
    sum.to('usage', peak, 'highest of the last 24 h, while there is too little history to choose by');
    sum.to('margin', decision.decided, `${Math.round((priorRatio - 1) * 100)} % on top, for the same reason`);
  } else {
    const names = [...new Set(decision.council.map(({ base }) => describeForecaster(forecasters, base)))];
    const multipliers = decision.council.map(({ multiplier }) => forecasters.multipliers[multiplier] ?? 1);
    const mean = multipliers.reduce((total, each) => total + each, 0) / Math.max(1, multipliers.length);
    sum.to('usage', decision.base, `mean of the rules that served this container best of late: ${names.join('; ')}`);
    sum.to('margin', decision.decided, `their margins, which served best as well: × ${mean.toFixed(2)} in the mean`);
  }
  const held =
    decision.held > decision.decided
      ? `a lower value is believed after it has been more than ${Math.round(lowerRatio * 100)} % lower for ${holdHours} h`
      : model.leaking
        ? 'memory grows without end: a leak is not chased'
        : 'a small rise is noise';
  sum.to(model.leaking && decision.held < decision.decided ? 'leak' : 'hold', decision.held, held);
  if (margin !== null) sum.to('margin', sum.value * (1 + margin), `${Number((margin * 100).toFixed(1))} % on top, fixed by the policy`);
}

// With goal Savings alone: cache that is taken back has to be read again, which others would notice. A kill shows that
// the kernel could not take enough of it back.
function reclaimCache(sum: StepSum, model: ResourceModel, { rules, cacheFreeNeed, oomNeed }: ResourceAdviceInputs): boolean {
  const applies = rules.goal === 'Savings' && rules.percentile === null && oomNeed === 0 && !model.leaking;
  if (!applies || cacheFreeNeed === null || cacheFreeNeed >= sum.value) return false;
  sum.to(
    'usage',
    cacheFreeNeed,
    'most of it is page cache, which the kernel takes back: its own memory + 20 %, and a quarter of that for cache',
  );
  return true;
}

function raiseToHeap(sum: StepSum, runtime: ContainerRuntime | null): void {
  const need = runtime === null ? null : fullHeapNeed(runtime);
  if (runtime === null || need === null || need <= sum.value) return;
  const heap = `${runtime.option} lets the heap of ${runtime.name} grow to ${formatMemory(runtime.heapBytes ?? 0)}`;
  sum.to('floor', roundUp(need, 'bytes'), `${heap}: never less than that and what it needs beside it`);
}

function bound(sum: StepSum, rules: ResourceRules): void {
  if (sum.value < rules.min) sum.to('floor', rules.min, 'never less than the floor');
  if (rules.max !== null && sum.value > rules.max) sum.to('ceiling', rules.max, 'never more than the ceiling');
}

// Whole steps that a person reads at a glance and that are small against the noise of usage.
function roundUp(value: number, unit: 'millicores' | 'bytes'): number {
  const step = unit === 'bytes' ? MiB : value < 100 ? 1 : value < 1000 ? 5 : 10;
  return Math.ceil(value / step) * step;
}

function greatest(values: readonly number[], or: number): number {
  return values.reduce((most, value) => (value > most || Number.isNaN(most) ? value : most), or);
}

/** Keeps the running value whole, so that what the steps add is whole and adds up to the last number exactly. */
class StepSum {
  readonly steps: ExplanationStep[] = [];
  readonly #unit: 'millicores' | 'bytes';
  #value = 0;

  constructor(unit: 'millicores' | 'bytes') {
    this.#unit = unit;
  }

  get value(): number {
    return this.#value;
  }

  /** Moves the running value; a move by nothing is no step, but the first always is. */
  to(step: ExplanationStep['step'], value: number, detail: string): void {
    const next = Math.round(value);
    if (next === this.#value && this.steps.length > 0) return;
    this.steps.push({ step, detail, value: next - this.#value, unit: this.#unit });
    this.#value = next;
  }
}
