// Compares throttling and pressure after a reduction with the same hours of the week before, and where no such hour was measured, with
// unchanged replicas. Measures without readings are ignored. roll-back-criteria.ts also has a throttling rule, for the
// change under way: it compares the mean of about a day with that at the start, so it needs neither a measured week nor unchanged replicas.

import { formatDuration } from '../../../model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import type { PodRecord } from '#kube/records/pod';
import type { ResourceName } from '#kube/records/resources';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { Evidence, EvidenceHour } from '../../../recommender/history/evidence-hours.ts';
import { AFTER_READY_MS } from '../../../recommender/start-up.ts';
import { isReduced, type Values } from '../../model/container-values.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { PolicyRules } from '../../policy/policy-rules.ts';
import type { Regression } from './roll-back-criteria.ts';

interface Measure {
  readonly measure: keyof Evidence;
  /** The measure counts only where this resource was lowered. */
  readonly resource: ResourceName;
  readonly rule: 'onThrottleRatio' | 'onPressureRatio';
  readonly reason: Regression['reason'];
  readonly words: string;
  /** Maximum age of a reading. */
  readonly holdsMs: DurationMs;
}

const PRESSURE = { rule: 'onPressureRatio', reason: 'pressure', holdsMs: 11 * MINUTE_MS } as const;
const MEASURES: readonly Measure[] = [
  {
    measure: 'throttledRatio',
    resource: 'cpu',
    rule: 'onThrottleRatio',
    reason: 'throttling',
    words: 'throttled CPU periods',
    holdsMs: 2 * HOUR_MS + 5 * MINUTE_MS,
  },
  { measure: 'cpuPressureRatio', resource: 'cpu', words: 'time in which tasks waited for CPU', ...PRESSURE },
  { measure: 'memoryPressureRatio', resource: 'memory', words: 'time in which tasks waited for memory', ...PRESSURE },
];

/** Samples repeat a reading of the counters until the next one, so the values of an hour may belong to the hour before. */
const EVIDENCE_LAG_MS: DurationMs = HOUR_MS + 6 * MINUTE_MS;
/** Required duration of readings: one reading of pressure covers 5 minutes, too short to distinguish a spike from a shortage. */
const MIN_READ_MS: DurationMs = 9 * MINUTE_MS;
/** Covers the last whole hour before a change. */
const HOURS_BEFORE_MS: DurationMs = 2 * HOUR_MS;

/** A reduction to judge by throttling and pressure. */
export interface JudgedReduction {
  readonly since: Instant;
  readonly before: Values;
  readonly inForce: Values;
  /** Pods that have the values. */
  readonly changed: readonly PodRecord[];
  /** The workload's other running pods. */
  readonly others: readonly PodRecord[];
}

/** Result of a comparison. */
export interface EvidenceFound {
  /** null: none. */
  readonly regression: Regression | null;
  /** Number of hours compared with the week before; at least 1 where replicas were compared. */
  readonly comparedHours: number;
}

/** Start of the hourly evidence that a decision needs; undefined: it needs none. */
export function evidenceSince({
  apply,
  observedReductions: watched,
}: Pick<WorkloadSituation['memory'], 'apply' | 'observedReductions'>): Instant | undefined {
  const begun = [...(apply === null ? [] : [apply.startedAt]), ...watched.map(({ since }) => since)];
  return begun.length === 0 ? undefined : Math.min(...begun) - HOURS_BEFORE_MS;
}

/** Looks for a rise of throttling or pressure in the containers that a reduction lowered. */
export function evidenceOfRegression(situation: WorkloadSituation, reduction: JudgedReduction): EvidenceFound {
  const hours = new Set<Instant>();
  let regression: Regression | null = null;
  let replicasCompared = false;
  for (const [container, before] of reduction.before) {
    const inForce = reduction.inForce.get(container);
    const rows = situation.advice.find((each) => each.container === container)?.evidence ?? [];
    for (const measure of MEASURES) {
      if (inForce === undefined || !isReduced(before, inForce, measure.resource)) continue;
      const compared = comparableHours(rows, measure, reduction, situation);
      for (const { at } of compared) hours.add(at);
      const rise = compared.length > 0 ? riseOverWeek(compared) : riseOverOthers(situation, reduction, container, measure, rows);
      replicasCompared ||= compared.length === 0 && rise !== null;
      regression ??= rise === null ? null : regressionOfRise(container, measure, rise, situation.policy.rollback);
    }
  }
  return { regression, comparedHours: Math.max(hours.size, Number(replicasCompared)) };
}

interface Rise {
  readonly by: Ratio;
  readonly against: string;
}

interface ComparedHour {
  readonly at: Instant;
  readonly rise: Ratio;
}

/** Hours that can be compared with the week before. None while a change spreads: unchanged pods are compared instead. */
function comparableHours(
  rows: readonly EvidenceHour[],
  { measure }: Measure,
  { since, others }: JudgedReduction,
  { memory, now }: WorkloadSituation,
): readonly ComparedHour[] {
  if (memory.idle !== null || (memory.apply !== null && others.length > 0)) return [];
  const from = Math.max(since, memory.lastIdle?.wokenAt ?? since) + EVIDENCE_LAG_MS;
  return rows.flatMap(({ at, weekBefore, ...evidence }) => {
    const [ratio, before] = [evidence[measure], weekBefore[measure]];
    return at < from || at + HOUR_MS > now || ratio === null || before === null ? [] : [{ at, rise: ratio - before }];
  });
}

function riseOverWeek(compared: readonly ComparedHour[]): Rise | null {
  const worst = compared.toSorted((a, b) => b.rise - a.rise)[0];
  return worst === undefined ? null : { by: worst.rise, against: `the same hour of the week before (from ${isoTime(worst.at)})` };
}

/** Rise of the changed replicas' mean over the highest of the others, so that a replica that is always the highest does not count. */
function riseOverOthers(
  situation: WorkloadSituation,
  { since, changed, others }: JudgedReduction,
  container: string,
  measure: Measure,
  rows: readonly EvidenceHour[],
): Rise | null {
  const read = (pods: readonly PodRecord[], sinceOf: (pod: PodRecord) => Instant): number[] =>
    pods.flatMap((pod) => latestOf(situation, pod, container, measure, sinceOf(pod)) ?? []);
  const withIt = read(changed, ({ resizedBy, createdAt }) => Math.max(since, resizedBy?.at ?? createdAt));
  const without = read(others, () => since);
  if (withIt.length === 0 || without.length === 0) return null;
  const before = rows.findLast(({ at }) => at + HOUR_MS <= since)?.[measure.measure] ?? 0;
  const mean = withIt.reduce((sum, ratio) => sum + ratio, 0) / withIt.length;
  return { by: mean - Math.max(before, ...without), against: 'unchanged replicas' };
}

/** Mean of the readings that started after `since` and after the pod's start; null: too few. */
function latestOf(
  { readings, now }: WorkloadSituation,
  { uid, readySince }: PodRecord,
  container: string,
  { measure, holdsMs }: Measure,
  since: Instant,
): Ratio | null {
  if (readySince === null) return null;
  const from = Math.max(since, readySince + AFTER_READY_MS);
  const all = readings?.get(uid)?.find((each) => each.container === container)?.[measure] ?? [];
  const counted = all.filter((each) => each.from >= from && now - each.at <= holdsMs + MINUTE_MS && each.at <= now);
  const read = counted.reduce((sum, each) => sum + each.at - each.from, 0);
  return read < MIN_READ_MS ? null : counted.reduce((sum, each) => sum + each.ratio * (each.at - each.from), 0) / read;
}

function regressionOfRise(
  container: string,
  { rule, reason, words }: Measure,
  { by, against }: Rise,
  rules: PolicyRules['rollback'],
): Regression | null {
  if (rules[rule] >= 1 || by < rules[rule]) return null;
  return { reason, message: `${words} of ${container}: ${Math.round(by * 100)} percentage points more than in ${against}` };
}

/** Part of a message: how much of a watched reduction was compared. */
export function comparedText(comparedHours: number, watchedMs: DurationMs): string {
  if (comparedHours > 0) return `${comparedHours} hours compared so far without a regression`;
  return `nothing could be compared for ${formatDuration(Math.floor(watchedMs / MINUTE_MS) * MINUTE_MS)}: neither the week before nor an unchanged replica was measured`;
}
