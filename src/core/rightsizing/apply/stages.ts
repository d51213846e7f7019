// How a change spreads over the pods of a workload: one pod first, then a tenth, half, all; each stage verified before
// the next. Increases go to all at once: too small hurts now, and more never broke a container.

import type { PodRecord } from '../../model/pod.ts';
import { MINUTE_MS, type DurationMs, type Instant, type Ratio } from '../../model/units.ts';
import type { PolicyRules } from '../policy/policy-rules.ts';
import { tooManyErrors } from './error-rate.ts';
import { lowersAnything, type Values } from './container-values.ts';
import type { ApplyStage, ChangeUnderWay } from './situation.ts';

const STAGES: readonly ApplyStage[] = ['Canary', 'Tenth', 'Half', 'All'];

/** Pods that may have the new values in a stage. */
export function podsInStage(stage: ApplyStage, pods: number): number {
  switch (stage) {
    case 'Canary':
      return Math.min(1, pods);
    case 'Tenth':
      return Math.ceil(pods * 0.1);
    case 'Half':
      return Math.ceil(pods * 0.5);
    case 'All':
      return pods;
  }
}

/** The next stage that lets more pods have the values; null after the last. */
export function nextStage(stage: ApplyStage, pods: number): ApplyStage | null {
  const now = podsInStage(stage, pods);
  return STAGES.slice(STAGES.indexOf(stage) + 1).find((later) => podsInStage(later, pods) > now) ?? null;
}

/** Whether a change lowers anything against what it replaces: only then it has to prove itself. */
export function mustProveItself(change: ChangeUnderWay, previous: Values | null): boolean {
  if (previous === null) return true;
  return [...change.values].some(([name, to]) => {
    const from = previous.get(name);
    return from !== undefined && lowersAnything(from, to);
  });
}

/** A failed probe now and then is no harm. */
const UNREADY_MS: DurationMs = 2 * MINUTE_MS;

/** What harm is looked for in. */
export interface ChangeInProof {
  readonly now: Instant;
  readonly change: ChangeUnderWay;
  /** Pods that have the new values. */
  readonly changed: readonly PodRecord[];
  /** The workload's other running pods: what ails them, too, is not the change's doing. */
  readonly others: readonly PodRecord[];
  readonly throttledRatio: Ratio | null;
  readonly errorRate: number | null | undefined;
}

/** Why a change should be taken back; null: no sign of harm. */
export function harmOf(
  { now, change, changed, others, throttledRatio, errorRate }: ChangeInProof,
  rules: PolicyRules['rollback'],
): { readonly reason: 'restarts' | 'readiness' | 'errors' | 'throttling'; readonly message: string } | null {
  const restarts = changed.flatMap((pod) =>
    pod.containers.filter((container) => failedSince(container.lastTermination, change.startedAt)).map(({ name }) => `${pod.name}/${name}`),
  );
  if (rules.onRestarts > 0 && restarts.length >= rules.onRestarts) {
    return { reason: 'restarts', message: `restarted after the change: ${restarts.slice(0, 3).join(', ')}` };
  }
  const becameUnready = ({ unreadySince }: PodRecord): boolean => (unreadySince ?? Number.NEGATIVE_INFINITY) >= change.startedAt;
  const unready = changed.filter((pod) => becameUnready(pod) && now - (pod.unreadySince ?? now) >= UNREADY_MS);
  if (rules.onRestarts > 0 && unready.length > 0 && !others.some(becameUnready)) {
    return {
      reason: 'readiness',
      message: `not ready since the change: ${unready
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}`,
    };
  }
  const errors = tooManyErrors(change, errorRate);
  if (errors !== null) return { reason: 'errors', message: errors };
  const rise = throttledRatio === null ? 0 : throttledRatio - (change.throttledRatioBefore ?? throttledRatio);
  if (rules.onThrottleRatio < 1 && rise >= rules.onThrottleRatio) {
    return { reason: 'throttling', message: `throttled CPU periods rose by ${Math.round(rise * 100)} % of all` };
  }
  return null;
}

/** Whether it ended by itself, and not well, after a moment. */
export function failedSince(termination: PodRecord['containers'][number]['lastTermination'], since: Instant): boolean {
  const finishedAt = termination?.finishedAt ?? Number.NEGATIVE_INFINITY;
  return finishedAt >= since && (termination?.exitCode !== 0 || termination.reason === 'OOMKilled');
}
