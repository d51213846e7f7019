// Advice for Jobs from their last runs: memory by the highest peak, CPU by the 95th percentile over time. Batch work tolerates
// waiting for CPU, but an OOM kill loses the run.

import type { Resources } from '#kube/records/resources';
import { MiB, MINUTE_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { formatDuration } from '../../model/duration.ts';
import type { ContainerAdvice, Goal, OomAdvice, RecommenderRules, ResourceAdvice, ResourceRules } from '../advice.ts';
import { ExplainedValue, marginText } from '../explained-value.ts';
import type { Run, RunKill, RunLog } from './run-log.ts';
import { freshnessOfRuns, sharesCovered } from './run-confidence.ts';

/** Minimum of ended runs for a recommendation. */
export const MIN_RUNS = 5;
/** Runs for full confidence. */
const FULL_CONFIDENCE_RUNS = 10;
/** Runs shorter than this, or with fewer samples than `MIN_SAMPLES`, may have peaks between two readings. */
const SHORT_RUN_MS: DurationMs = MINUTE_MS;
const MIN_SAMPLES = 3;
const SHORT_RUN_CONFIDENCE: Ratio = 0.5;
/** A kill expires after this many runs in a row with peaks below `UNNEEDED_RATIO` of its need. */
const KILL_EXPIRY_RUNS = 5;
const UNNEEDED_RATIO: Ratio = 0.8;

/** Target share of runs that earlier advice covers. */
const COVERAGE_TARGETS: Readonly<Record<Goal, Ratio>> = { Savings: 0.9, Balanced: 0.95, Safe: 0.98 };

const MEMORY_MARGIN: Readonly<Record<Goal, Ratio>> = { Savings: 0.1, Balanced: 0.15, Safe: 0.25 };
const CPU_MARGIN: Readonly<Record<Goal, Ratio>> = { Savings: 0, Balanced: 0.1, Safe: 0.2 };

/** Advice for one container of a Job family; null: no runs and no kills. */
export function adviseFromRuns(container: string, now: Instant, log: RunLog, rules: RecommenderRules): ContainerAdvice | null {
  const runs = log.ended(now);
  const allRuns = log.all();
  const kills = log.kills();
  if (allRuns.length === 0 && kills.length === 0) return null;
  const confidence = computeRunConfidence(runs, rules, now);
  const memory = memoryAdvice(allRuns, kills, rules, confidence.memory);
  const cpu = cpuAdvice(allRuns, rules.cpu, confidence.cpu);
  const peaks = allRuns.flatMap(({ memoryPeakBytes }) => memoryPeakBytes ?? []).sort((a, b) => a - b);
  const used = allRuns.flatMap(({ cpuP95Millicores }) => cpuP95Millicores ?? []).sort((a, b) => a - b);
  const at = (share: Ratio): Resources => ({ cpuMillicores: quantile(used, share), memoryBytes: quantile(peaks, share) });
  const lastOomAt = kills.at(-1)?.at ?? null;
  return {
    container,
    cpu,
    memory,
    usage: { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
    // Limits are lowered by peaks over days, which runs do not have.
    memoryEvidence: null,
    ...(kills.length === 0 ? {} : { oom: limitOfKills(killNeed(allRuns, kills, rules.oom)) }),
    oomKills: kills.filter((kill) => now - kill.at < rules.historyWindowMs).length,
    lastOomAt,
    leakSuspected: false,
    throttledRatio: null,
    cpuPressureRatio: null,
    cpuHigh: null,
    samples: allRuns.reduce((sum, { samples }) => sum + samples, 0),
    droppedSamples: 0,
    firstSampleAt: allRuns[0]?.firstAt ?? lastOomAt ?? now,
    lastSampleAt: log.lastAt === 0 ? (lastOomAt ?? now) : log.lastAt,
    coverage: 1,
    enoughHistory: runs.length >= MIN_RUNS,
    confidence: Math.min(
      memory === null ? 1 : confidence.memory,
      cpu === null ? 1 : confidence.cpu,
      memory === null && cpu === null ? 0 : 1,
    ),
    confidenceText: confidence.text,
  };
}

/** One kill raises the limit of later runs, because each run has its own pod. */
function limitOfKills(need: Bytes): OomAdvice {
  return { limitNeed: need, killedPodNeed: need, requestNeed: 0, recentKills: [], lastNodeKill: null };
}

interface RunConfidence {
  readonly cpu: Ratio;
  readonly memory: Ratio;
  readonly text: string;
}

/** Confidence by the number of runs, their samples, their age, and the share of them that earlier advice would have covered. */
function computeRunConfidence(runs: readonly Run[], rules: RecommenderRules, now: Instant): RunConfidence {
  const base = rateRuns(runs);
  const fresh = freshnessOfRuns(runs, now);
  const covered = sharesCovered(runs, MIN_RUNS, {
    cpu: (before) => quantile(cpuOf(before), rules.cpu.percentile ?? 0.95) * (1 + cpuMargin(rules.cpu)),
    memory: (before) => Math.max(0, ...peaksOf(before)) * (1 + memoryMargin(rules.memory)),
  });
  const multiply = (share: Ratio | null, goal: Goal): Ratio => base.confidence * fresh * Math.min(1, (share ?? 1) / COVERAGE_TARGETS[goal]);
  const describe = (resource: string, share: Ratio | null): readonly string[] =>
    share === null || share === 1 ? [] : [`earlier ${resource} advice would have covered ${Math.floor(share * 100)} % of them`];
  const old = fresh === 0 ? ['none for much longer than the usual interval'] : [];
  return {
    cpu: multiply(covered.cpu, rules.cpu.goal),
    memory: multiply(covered.memory, rules.memory.goal),
    text: [base.text, ...describe('CPU', covered.cpu), ...describe('memory', covered.memory), ...old].join('; '),
  };
}

function rateRuns(runs: readonly Run[]): { readonly confidence: Ratio; readonly text: string } {
  const counted = runs.length >= FULL_CONFIDENCE_RUNS ? `${runs.length} runs seen` : `${runs.length} of ${FULL_CONFIDENCE_RUNS} runs seen`;
  const byCount = Math.min(1, runs.length / FULL_CONFIDENCE_RUNS);
  const lengths = runs.map(({ firstAt, lastAt }) => lastAt - firstAt).sort((a, b) => a - b);
  const typical = quantile(lengths, 0.5);
  const samples = quantile(
    runs.map((run) => run.samples).sort((a, b) => a - b),
    0.5,
  );
  if (runs.length === 0 || (typical >= SHORT_RUN_MS && samples >= MIN_SAMPLES)) return { confidence: byCount, text: counted };
  const length = typical < SHORT_RUN_MS ? 'less than a minute' : formatDuration(Math.round(typical / MINUTE_MS) * MINUTE_MS);
  const text = `${counted}; a run takes ${length} and has ${samples} samples, so that peaks between two samples are missed`;
  return { confidence: byCount * SHORT_RUN_CONFIDENCE, text };
}

function memoryAdvice(runs: readonly Run[], kills: readonly RunKill[], rules: RecommenderRules, confidence: Ratio): ResourceAdvice | null {
  const peaks = peaksOf(runs);
  const peak = Math.max(0, ...peaks);
  const oom = killNeed(runs, kills, rules.oom);
  if (peak === 0 && oom === 0) return null;
  const margin = memoryMargin(rules.memory);
  const sum = new ExplainedValue('memory');
  sum.moveTo('usage', peak, `the highest peak of ${peaks.length} runs`);
  sum.moveTo('margin', Math.ceil(peak * (1 + margin)), marginText(margin));
  if (oom > sum.value) sum.moveTo('oom', oom, 'an OOM kill showed that the limit is too small');
  sum.moveTo('rounding', Math.ceil(sum.value / MiB) * MiB, 'rounded up to whole MiB');
  return adviceOf(sum, rules.memory, { peak, latest: peaks.at(-1) ?? peak, confidence, lowest: Math.max(peak, oom) });
}

function cpuAdvice(runs: readonly Run[], rules: ResourceRules, confidence: Ratio): ResourceAdvice | null {
  const used = runs.flatMap(({ cpuP95Millicores }) => cpuP95Millicores ?? []);
  if (used.length === 0) return null;
  const sorted = used.toSorted((a, b) => a - b);
  const share = rules.percentile ?? 0.95;
  const value = quantile(sorted, share);
  const margin = cpuMargin(rules);
  const sum = new ExplainedValue('cpu');
  sum.moveTo('usage', value, `p${Math.round(share * 100)} over ${used.length} runs of the CPU that each needs in 95 % of its time`);
  sum.moveTo('margin', Math.ceil(value * (1 + margin)), marginText(margin));
  sum.moveTo('rounding', Math.ceil(sum.value / 5) * 5, 'rounded up to a multiple of 5m');
  return adviceOf(sum, rules, { peak: sorted.at(-1) ?? value, latest: used.at(-1) ?? value, confidence, lowest: quantile(sorted, 0.5) });
}

const memoryMargin = ({ margin, goal }: ResourceRules): Ratio => margin ?? MEMORY_MARGIN[goal];
const cpuMargin = ({ margin, goal }: ResourceRules): Ratio => margin ?? CPU_MARGIN[goal];

function peaksOf(runs: readonly Run[]): readonly Bytes[] {
  return runs.flatMap(({ memoryPeakBytes }) => memoryPeakBytes ?? []);
}

function cpuOf(runs: readonly Run[]): readonly number[] {
  return runs.flatMap(({ cpuP95Millicores }) => cpuP95Millicores ?? []).sort((a, b) => a - b);
}

/** Minimum memory by the kills that have not expired; 0: none. */
function killNeed(runs: readonly Run[], kills: readonly RunKill[], { bumpRatio, minBumpBytes }: RecommenderRules['oom']): Bytes {
  return kills.reduce((max, { at, limitBytes }) => {
    const need = Math.max(Math.ceil(limitBytes * bumpRatio), limitBytes + minBumpBytes);
    const after = runs.filter(({ firstAt }) => firstAt > at).slice(-KILL_EXPIRY_RUNS);
    const isExpired =
      after.length >= KILL_EXPIRY_RUNS && after.every(({ memoryPeakBytes }) => (memoryPeakBytes ?? 0) < need * UNNEEDED_RATIO);
    return isExpired ? max : Math.max(max, need);
  }, 0);
}

/** Advice from a value, bounded by floor and ceiling. */
function adviceOf(
  sum: ExplainedValue,
  { min, max }: ResourceRules,
  usage: { readonly peak: number; readonly latest: number; readonly confidence: Ratio; readonly lowest: number },
): ResourceAdvice {
  if (sum.value < min) sum.moveTo('floor', min, 'never less than the floor');
  if (max !== null && sum.value > max) sum.moveTo('ceiling', max, 'never more than the ceiling');
  const target = sum.value;
  return {
    target,
    base: target,
    increase: null,
    lowerBound: Math.min(target, Math.round(usage.lowest)),
    upperBound: Math.ceil(target * 1.5),
    peak: Math.round(usage.peak),
    recentPeak: Math.round(usage.latest),
    latest: Math.round(usage.latest),
    confidence: usage.confidence,
    // Job pods are sized at creation, so usage of ended runs counts as measured.
    isMeasured: true,
    steps: sum.steps,
  };
}

/** Quantile of ascending values, rounded; 0 without values. */
function quantile(sorted: readonly number[], share: Ratio): number {
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
}
