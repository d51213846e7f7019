// Detects regressions caused by a reduction: crash loops, OOM kills, restarts, unready pods, errors, throttling.

import { namesOf, type PodRecord } from '#kube/records/pod';
import { DAY_MS, MINUTE_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { PolicyRules } from '../../policy/policy-rules.ts';
import type { Values } from '../../model/container-values.ts';
import type { CountedKill } from '../../model/evidence/counted-kill.ts';
import type { ChangeUnderWay, WorkloadSituation } from '../../model/situation.ts';
import { findErrorRise } from '../blockers/error-rate.ts';
import { hasCrashed } from '../pod/pod-change.ts';
import {
  hasFailedSince,
  failuresInDayBefore,
  failuresSince,
  isSignificantlyGreater,
  sumOfRates,
  type ObservedRate,
} from './restart-rates.ts';

/** How long a pod must be unready to count as a regression: single failed probes do not. */
export const UNREADY_MS: DurationMs = 2 * MINUTE_MS;

/** A change under way, with the pods that have and have not its values. */
export interface VerifiedChange {
  readonly now: Instant;
  readonly change: ChangeUnderWay;
  /** Values before the change; null: unknown. */
  readonly previous: Values | null;
  /** Pods that have the new values. */
  readonly changed: readonly PodRecord[];
  /** The workload's other running pods: a problem that affects all of them, too, is not caused by the change. */
  readonly others: readonly PodRecord[];
  /** OOM kills that pod statuses do not show, by pod uid. */
  readonly countedKills: ReadonlyMap<string, readonly CountedKill[]>;
  /** Failure times of containers, by pod uid. */
  readonly failures: ReadonlyMap<string, readonly Instant[]>;
  readonly throttledRatio: Ratio | null;
  readonly errorRate: number | null | undefined;
}

/** A reduction that is in force on all pods and watched. */
export type ComparedReduction = Omit<VerifiedChange, 'change' | 'throttledRatio' | 'errorRate'> & { readonly change: StartedChange };

type StartedChange = Pick<ChangeUnderWay, 'startedAt' | 'values'>;

/** A detected regression. */
export interface Regression {
  readonly reason: 'restarts' | 'readiness' | 'errors' | 'throttling' | 'pressure';
  readonly message: string;
}

/** The regression for which a change under way is rolled back; null: none. */
export function findRegression(proof: VerifiedChange, rules: PolicyRules['rollback']): Regression | null {
  return (
    (rules.onRestarts ? (crashLoop(proof) ?? oomKill(proof) ?? restarts(proof) ?? unready(proof)) : null) ??
    findServiceRegression(proof, rules)
  );
}

/**
 * The regression for which a watched reduction is rolled back, when no unchanged pod is left to compare with; null: none. Single restarts
 * and single unready pods within a day do not count.
 */
export function findRegressionOfReduction(proof: ComparedReduction, rules: PolicyRules['rollback']): Regression | null {
  return rules.onRestarts ? (crashLoop(proof) ?? oomKill(proof) ?? allUnready(proof)) : null;
}

/** Time at which a pod got the new values: earlier restarts are not caused by the change. */
function changedAt({ resizedBy, createdAt }: PodRecord, { startedAt }: StartedChange): Instant {
  return Math.max(startedAt, resizedBy?.at ?? createdAt);
}

function crashLoop(proof: ComparedReduction): Regression | null {
  const { change, changed } = proof;
  const isCrashLooping = (pod: PodRecord): boolean =>
    pod.containers.some(
      (container) =>
        container.state === 'waiting' && hasCrashed(container) && hasFailedSince(container.lastTermination, changedAt(pod, change)),
    );
  const looping = changed.filter(isCrashLooping);
  if (looping.length === 0 || hasOnlyMatching(comparable(proof), isCrashLooping)) return null;
  return { reason: 'restarts', message: `CrashLoopBackOff since the change: ${namesOf(looping)}` };
}

/**
 * Unchanged pods that can show another cause than the change. Pods that failed as often before, or were not ready, are excluded: they
 * would hide every regression for as long as they fail.
 */
function comparable({ now, change: { startedAt }, others, failures }: ComparedReduction): readonly PodRecord[] {
  return others.filter((pod) => {
    if (pod.unreadySince !== null && pod.unreadySince < startedAt) return false;
    const before = failuresInDayBefore([pod], startedAt, failures);
    const since = failuresSince([pod], ({ createdAt }) => Math.max(startedAt, createdAt), now, failures);
    return before.events === 0 || isSignificantlyGreater(since, before);
  });
}

/** Whether all pods match, not just most: an unnecessary roll-back costs a day of savings, a missed regression the workload's availability. */
function hasOnlyMatching(pods: readonly PodRecord[], isMet: (pod: PodRecord) => boolean): boolean {
  return pods.length > 0 && pods.every(isMet);
}

/** One OOM kill at the lower limit is enough: the previous limit would have prevented it. */
function oomKill({ change, previous, changed, countedKills }: ComparedReduction): Regression | null {
  const killed = changed.filter((pod) =>
    pod.containers.some(({ name, lastTermination }) => {
      const [before, now] = [previous?.get(name)?.limits.memoryBytes ?? null, change.values.get(name)?.limits.memoryBytes ?? null];
      const isLower = before !== null && now !== null && now < before;
      if (!isLower) return false;
      const since = changedAt(pod, change);
      const isCounted = (countedKills.get(pod.uid) ?? []).some(({ container, at }) => container === name && at >= since);
      return isCounted || (lastTermination?.reason === 'OOMKilled' && hasFailedSince(lastTermination, since));
    }),
  );
  return killed.length === 0
    ? null
    : { reason: 'restarts', message: `OOM-killed at a lower memory limit than before the change: ${namesOf(killed)}` };
}

/** More restarts than in the day before the change and, where unchanged pods restart as well, more than theirs. */
function restarts(proof: VerifiedChange): Regression | null {
  const { now, change, changed, others, failures } = proof;
  const sinceChange = failuresSince(changed, (pod) => changedAt(pod, change), now, failures);
  if (sinceChange.events === 0) return null;
  const before = failuresBefore({ change, changed, others, failures });
  // Without an earlier observation a failure is attributed to the change.
  if (before.observedMs > 0 && !isSignificantlyGreater(sinceChange, before)) return null;
  const unchanged = failuresSince(comparable(proof), ({ createdAt }) => Math.max(change.startedAt, createdAt), now, failures);
  if (unchanged.events > 0 && !isSignificantlyGreater(sinceChange, unchanged)) return null;
  const failed = changed.filter((pod) =>
    pod.containers.some(({ lastTermination }) => hasFailedSince(lastTermination, changedAt(pod, change))),
  );
  return { reason: 'restarts', message: `more restarts than before the change: ${namesOf(failed)}` };
}

/**
 * Failures of the changed pods in the day before the start of the change, because a pod may have been resized again since. Failures of
 * the other pods are added where the changed ones have less than a day of observation together.
 */
function failuresBefore({
  change: { startedAt },
  changed,
  others,
  failures,
}: Pick<VerifiedChange, 'change' | 'changed' | 'others' | 'failures'>): ObservedRate {
  const ofChanged = failuresInDayBefore(changed, startedAt, failures);
  return ofChanged.observedMs >= DAY_MS ? ofChanged : sumOfRates(ofChanged, failuresInDayBefore(others, startedAt, failures));
}

function unready(proof: VerifiedChange): Regression | null {
  const { now, change, changed } = proof;
  const isUnreadySinceChange = ({ unreadySince }: PodRecord): boolean => (unreadySince ?? Number.NEGATIVE_INFINITY) >= change.startedAt;
  const down = changed.filter((pod) => isUnreadySinceChange(pod) && now - (pod.unreadySince ?? now) >= UNREADY_MS);
  if (down.length === 0 || hasOnlyMatching(comparable(proof), isUnreadySinceChange)) return null;
  return { reason: 'readiness', message: `not ready since the change: ${namesOf(down)}` };
}

function allUnready({ now, change, changed }: ComparedReduction): Regression | null {
  const isDown = ({ unreadySince }: PodRecord): boolean =>
    unreadySince !== null && unreadySince >= change.startedAt && now - unreadySince >= UNREADY_MS;
  return hasOnlyMatching(changed, isDown) ? { reason: 'readiness', message: `not ready since the change: ${namesOf(changed)}` } : null;
}

function findServiceRegression({ change, throttledRatio, errorRate }: VerifiedChange, rules: PolicyRules['rollback']): Regression | null {
  const errors = findErrorRise(change, errorRate);
  if (errors !== null) return { reason: 'errors', message: errors };
  const rise = throttledRatio === null ? 0 : throttledRatio - (change.throttledRatioBefore ?? throttledRatio);
  if (rules.onThrottleRatio >= 1 || rise < rules.onThrottleRatio) return null;
  return { reason: 'throttling', message: `throttled CPU periods rose by ${Math.round(rise * 100)} percentage points` };
}

/** Throttled share of CPU periods of the most throttled container; null: unknown for all. */
export function throttledRatioOf({ advice }: WorkloadSituation): number | null {
  const ratios = advice.flatMap(({ throttledRatio }) => throttledRatio ?? []);
  return ratios.length === 0 ? null : Math.max(...ratios);
}
