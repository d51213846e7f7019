// Advice from runs: memory by the highest peak of the last ones, CPU by what they used in 95 % of their time. Batch work is
// not hurt by waiting for CPU, but a run that is killed is lost.

import type { Resources } from '#kube/records/resources';
import { MiB, MINUTE_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { formatDuration } from '../../model/duration.ts';
import type { ContainerAdvice, Goal, OomAdvice, RecommenderRules, ResourceAdvice, ResourceRules } from '../advice.ts';
import { StepSum } from '../step-sum.ts';
import type { Run, RunKill, RunLog } from './run-log.ts';
import { freshnessOfRuns, sharesCovered } from './run-trust.ts';

export const MIN_RUNS = 5;
/** As many are as good as certainty gets. */
const FULL_TRUST_RUNS = 10;
/** The peak of a run that is over between two readings was never seen. */
const SHORT_RUN_MS: DurationMs = MINUTE_MS;
const MIN_SAMPLES = 3;
const SHORT_TRUST: Ratio = 0.5;
/** Runs in a row that stay well under what a kill asks for, after which it is forgotten. */
const RUNS_PAST_KILL = 5;
const WELL_UNDER: Ratio = 0.8;

/** Share of runs that what was advised before them is to cover. */
const COVER_GOALS: Readonly<Record<Goal, Ratio>> = { Savings: 0.9, Balanced: 0.95, Safe: 0.98 };

const MEMORY_MARGIN: Readonly<Record<Goal, Ratio>> = { Savings: 0.1, Balanced: 0.15, Safe: 0.25 };
const CPU_MARGIN: Readonly<Record<Goal, Ratio>> = { Savings: 0, Balanced: 0.1, Safe: 0.2 };

/** null before any run was seen. */
export function adviseFromRuns(container: string, now: Instant, log: RunLog, rules: RecommenderRules): ContainerAdvice | null {
  const runs = log.ended(now);
  const known = log.all();
  const kills = log.kills();
  if (known.length === 0 && kills.length === 0) return null;
  const trust = trustOf(runs, rules, now);
  const memory = memoryAdvice(known, kills, rules, trust.memory);
  const cpu = cpuAdvice(known, rules.cpu, trust.cpu);
  const peaks = known.flatMap(({ memoryPeakBytes }) => memoryPeakBytes ?? []).sort((a, b) => a - b);
  const used = known.flatMap(({ cpuP95Millicores }) => cpuP95Millicores ?? []).sort((a, b) => a - b);
  const at = (share: Ratio): Resources => ({ cpuMillicores: quantile(used, share), memoryBytes: quantile(peaks, share) });
  const lastOomAt = kills.at(-1)?.at ?? null;
  return {
    container,
    cpu,
    memory,
    usage: { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
    // A limit is lowered by what is known of days, which runs do not show.
    memoryEvidence: null,
    ...(kills.length === 0 ? {} : { oom: limitOfKills(killNeed(known, kills, rules.oom)) }),
    oomKills: kills.filter((kill) => now - kill.at < rules.historyWindowMs).length,
    lastOomAt,
    leakSuspected: false,
    throttledRatio: null,
    cpuPressureRatio: null,
    cpuHigh: null,
    samples: known.reduce((sum, { samples }) => sum + samples, 0),
    droppedSamples: 0,
    firstSampleAt: known[0]?.firstAt ?? lastOomAt ?? now,
    lastSampleAt: log.lastAt === 0 ? (lastOomAt ?? now) : log.lastAt,
    coverage: 1,
    enoughHistory: runs.length >= MIN_RUNS,
    confidence: Math.min(memory === null ? 1 : trust.memory, cpu === null ? 1 : trust.cpu, memory === null && cpu === null ? 0 : 1),
    confidenceText: trust.text,
  };
}

/** Each run is a pod of its own: one kill is enough for those to come. */
function limitOfKills(need: Bytes): OomAdvice {
  return { limitNeed: need, killedPodNeed: need, requestNeed: 0, recentKills: [], lastNodeKill: null };
}

interface RunTrust {
  readonly cpu: Ratio;
  readonly memory: Ratio;
  readonly text: string;
}

/** By how many runs were seen, how closely, how lately, and how many of them what was advised before would have covered. */
function trustOf(runs: readonly Run[], rules: RecommenderRules, now: Instant): RunTrust {
  const seen = seenOf(runs);
  const fresh = freshnessOfRuns(runs, now);
  const covered = sharesCovered(runs, MIN_RUNS, {
    cpu: (before) => quantile(cpuOf(before), rules.cpu.percentile ?? 0.95) * (1 + cpuMargin(rules.cpu)),
    memory: (before) => Math.max(0, ...peaksOf(before)) * (1 + memoryMargin(rules.memory)),
  });
  const by = (share: Ratio | null, goal: Goal): Ratio => seen.confidence * fresh * Math.min(1, (share ?? 1) / COVER_GOALS[goal]);
  const words = (what: string, share: Ratio | null): readonly string[] =>
    share === null || share === 1 ? [] : [`${what} advised before would have covered ${Math.floor(share * 100)} % of them`];
  const old = fresh === 0 ? ['none lately, as often as they used to come'] : [];
  return {
    cpu: by(covered.cpu, rules.cpu.goal),
    memory: by(covered.memory, rules.memory.goal),
    text: [seen.text, ...words('CPU', covered.cpu), ...words('memory', covered.memory), ...old].join('; '),
  };
}

function seenOf(runs: readonly Run[]): { readonly confidence: Ratio; readonly text: string } {
  const counted = runs.length >= FULL_TRUST_RUNS ? `${runs.length} runs seen` : `${runs.length} of ${FULL_TRUST_RUNS} runs seen`;
  const whole = Math.min(1, runs.length / FULL_TRUST_RUNS);
  const lengths = runs.map(({ firstAt, lastAt }) => lastAt - firstAt).sort((a, b) => a - b);
  const typical = quantile(lengths, 0.5);
  const fewest = quantile(
    runs.map(({ samples }) => samples).sort((a, b) => a - b),
    0.5,
  );
  if (runs.length === 0 || (typical >= SHORT_RUN_MS && fewest >= MIN_SAMPLES)) return { confidence: whole, text: counted };
  const length = typical < SHORT_RUN_MS ? 'less than a minute' : formatDuration(Math.round(typical / MINUTE_MS) * MINUTE_MS);
  const text = `${counted}; they take ${length} and are read ${fewest} times, so that a peak between two readings is not seen`;
  return { confidence: whole * SHORT_TRUST, text };
}

function memoryAdvice(runs: readonly Run[], kills: readonly RunKill[], rules: RecommenderRules, confidence: Ratio): ResourceAdvice | null {
  const peaks = peaksOf(runs);
  const peak = Math.max(0, ...peaks);
  const oom = killNeed(runs, kills, rules.oom);
  if (peak === 0 && oom === 0) return null;
  const margin = memoryMargin(rules.memory);
  const sum = new StepSum('memory');
  sum.to('usage', peak, `the highest peak of ${peaks.length} runs`);
  sum.to('margin', Math.ceil(peak * (1 + margin)), `${Math.round(margin * 100)} % spare`);
  if (oom > sum.value) sum.to('oom', oom, 'killed for want of memory');
  sum.to('rounding', Math.ceil(sum.value / MiB) * MiB, 'to whole MiB');
  return adviceOf(sum, rules.memory, { peak, latest: peaks.at(-1) ?? peak, confidence, lowest: Math.max(peak, oom) });
}

function cpuAdvice(runs: readonly Run[], rules: ResourceRules, confidence: Ratio): ResourceAdvice | null {
  const used = runs.flatMap(({ cpuP95Millicores }) => cpuP95Millicores ?? []);
  if (used.length === 0) return null;
  const sorted = used.toSorted((a, b) => a - b);
  const share = rules.percentile ?? 0.95;
  const value = quantile(sorted, share);
  const margin = cpuMargin(rules);
  const sum = new StepSum('cpu');
  sum.to('usage', value, `what ${Math.round(share * 100)} % of ${used.length} runs need 95 % of their time`);
  sum.to('margin', Math.ceil(value * (1 + margin)), `${Math.round(margin * 100)} % spare`);
  sum.to('rounding', Math.ceil(sum.value / 5) * 5, 'to whole 5m');
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

/** What kills ask for, until enough runs in a row have stayed well under it. */
function killNeed(runs: readonly Run[], kills: readonly RunKill[], { bumpRatio, minBumpBytes }: RecommenderRules['oom']): Bytes {
  return kills.reduce((most, { at, limitBytes }) => {
    const need = Math.max(Math.ceil(limitBytes * bumpRatio), limitBytes + minBumpBytes);
    const after = runs.filter(({ firstAt }) => firstAt > at).slice(-RUNS_PAST_KILL);
    const isPast = after.length >= RUNS_PAST_KILL && after.every(({ memoryPeakBytes }) => (memoryPeakBytes ?? 0) < need * WELL_UNDER);
    return isPast ? most : Math.max(most, need);
  }, 0);
}

/** The sum within floor and ceiling, as advice. */
function adviceOf(
  sum: StepSum,
  { min, max }: ResourceRules,
  of: { readonly peak: number; readonly latest: number; readonly confidence: Ratio; readonly lowest: number },
): ResourceAdvice {
  if (sum.value < min) sum.to('floor', min, 'no less is allowed');
  if (max !== null && sum.value > max) sum.to('ceiling', max, 'no more is allowed');
  const target = sum.value;
  return {
    target,
    base: target,
    increase: null,
    lowerBound: Math.min(target, Math.round(of.lowest)),
    upperBound: Math.ceil(target * 1.5),
    peak: Math.round(of.peak),
    recentPeak: Math.round(of.latest),
    latest: Math.round(of.latest),
    confidence: of.confidence,
    // Its pods are sized at creation: what earlier runs used is the evidence.
    isMeasured: true,
    steps: sum.steps,
  };
}

/** Of sorted values; 0 where there is none. */
function quantile(sorted: readonly number[], share: Ratio): number {
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
}
