// Distinguishes restarts that a change causes from those that occur anyway, so that workloads with occasional restarts are sized, too.

import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { WorkloadSituation } from '../../model/situation.ts';

/** Significance level: a rise with a smaller p-value is attributed to the change. */
const SIGNIFICANCE: Ratio = 0.05;

/** Number of events and time of observation, summed over pods. */
export interface ObservedRate {
  readonly events: number;
  readonly observedMs: DurationMs;
}

/**
 * Whether the first rate is greater than the second, one-sided, by the conditional test of two Poisson rates: given all events,
 * those of the first are binomial with its share of the observation (Przyborowski and Wilenski, 1940).
 */
export function isSignificantlyGreater(first: ObservedRate, second: ObservedRate): boolean {
  const observedMs = first.observedMs + second.observedMs;
  if (first.events === 0 || observedMs <= 0) return false;
  return binomialTail(first.events, first.events + second.events, first.observedMs / observedMs) < SIGNIFICANCE;
}

type Failures = NonNullable<WorkloadSituation['failures']>;

/** Failures of pods, for each pod since the time that `sinceOf` returns. */
export function failuresSince(
  pods: readonly PodRecord[],
  sinceOf: (pod: PodRecord) => Instant,
  now: Instant,
  failures: Failures,
): ObservedRate {
  return {
    events: pods.reduce((sum, pod) => sum + failuresOf(pod, failures).filter((at) => at >= sinceOf(pod)).length, 0),
    observedMs: pods.reduce((sum, pod) => sum + Math.max(0, now - sinceOf(pod)), 0),
  };
}

/** Failures of pods in the day before `until`, or since the pod's creation where that is later. */
export function failuresInDayBefore(pods: readonly PodRecord[], until: Instant, failures: Failures): ObservedRate {
  const from = (pod: PodRecord): Instant => Math.max(pod.createdAt, until - DAY_MS);
  return {
    events: pods.reduce((sum, pod) => sum + failuresOf(pod, failures).filter((at) => at >= from(pod) && at < until).length, 0),
    observedMs: pods.reduce((sum, pod) => sum + Math.max(0, until - from(pod)), 0),
  };
}

/** Observed failures, and those in the pod's status. */
function failuresOf({ uid, containers }: PodRecord, failures: Failures): readonly Instant[] {
  const shown = containers.flatMap(({ lastTermination }) => {
    const at = lastTermination?.finishedAt ?? null;
    return at !== null && hasFailedSince(lastTermination, at) ? [at] : [];
  });
  return [...new Set([...(failures.get(uid) ?? []), ...shown])];
}

export function sumOfRates(a: ObservedRate, b: ObservedRate): ObservedRate {
  return { events: a.events + b.events, observedMs: a.observedMs + b.observedMs };
}

/** Whether a termination after `since` was a failure: a non-zero exit code or an OOM kill. */
export function hasFailedSince(termination: PodRecord['containers'][number]['lastTermination'], since: Instant): boolean {
  const finishedAt = termination?.finishedAt ?? Number.NEGATIVE_INFINITY;
  return finishedAt >= since && (termination?.exitCode !== 0 || termination.reason === 'OOMKilled');
}

/** Whether a container of the pod failed after `since`. */
export function hasFailedAfter({ containers }: PodRecord, since: Instant): boolean {
  return containers.some(({ lastTermination }) => hasFailedSince(lastTermination, since));
}

/** Probability of at least `least` successes in `trials`. Computed with logarithms, because terms underflow with thousands of restarts. */
function binomialTail(least: number, trials: number, chance: Ratio): Ratio {
  if (chance >= 1) return 1;
  let logTerm = trials * Math.log(1 - chance);
  let below = 0;
  for (let successes = 0; successes < least; successes += 1) {
    below += Math.exp(logTerm);
    logTerm += Math.log(((trials - successes) / (successes + 1)) * (chance / (1 - chance)));
  }
  return Math.max(0, 1 - below);
}
