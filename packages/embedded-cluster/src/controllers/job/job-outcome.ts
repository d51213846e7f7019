// State of a Job. Pure.

import type { DurationMs, Instant } from '#kube/units';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import { isTrue } from '../nodes/conditions.ts';
import { fromTimestamp } from '../../api/timestamp.ts';
import { isActive, restartsOf } from '../pods/pod-state.ts';
import type { Pod } from '../wire/pod.ts';
import type { Job } from '../wire/workload.ts';

export type JobOutcome =
  | { readonly kind: 'running' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed'; readonly reason: 'BackoffLimitExceeded' | 'DeadlineExceeded'; readonly message: string };

export interface JobCounts {
  readonly succeeded: number;
  readonly failed: number;
}

const FIRST_BACKOFF_MS: DurationMs = 10 * SECOND_MS;
const LAST_BACKOFF_MS: DurationMs = 10 * MINUTE_MS;

export function isFinished({ status }: Job): boolean {
  return isTrue(status?.conditions, 'Complete') || isTrue(status?.conditions, 'Failed');
}

/** Deadline of the job; undefined when it has none or does not run. */
export function deadlineOf({ spec, status }: Job): Instant | undefined {
  const startedAt = fromTimestamp(status?.startTime);
  return spec.activeDeadlineSeconds === undefined || Number.isNaN(startedAt) || spec.suspend === true
    ? undefined
    : startedAt + spec.activeDeadlineSeconds * SECOND_MS;
}

export function jobOutcome(job: Job, pods: readonly Pod[], counts: JobCounts, now: Instant): JobOutcome {
  const { backoffLimit = 6, completions } = job.spec;
  const deadline = deadlineOf(job);
  if (counts.failed > backoffLimit || hasTooManyRestarts(job, pods, backoffLimit)) {
    return { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  if (deadline !== undefined && deadline <= now) {
    return { kind: 'failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  if (completions !== undefined) return counts.succeeded >= completions ? { kind: 'complete' } : { kind: 'running' };
  // A work queue is complete when one worker has succeeded and the others have ended.
  return counts.succeeded > 0 && !pods.some(isActive) ? { kind: 'complete' } : { kind: 'running' };
}

/** Number of pods that the job should have now. */
export function wantedActive({ spec }: Job, { succeeded }: JobCounts, active: number): number {
  const parallelism = spec.parallelism ?? 1;
  if (spec.suspend === true) return 0;
  if (spec.completions !== undefined) return Math.min(parallelism, Math.max(0, spec.completions - succeeded));
  return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
}

/** Back-off before the next pod, by the number of consecutive failures. */
export function failureBackoff(failuresInRow: number): DurationMs {
  return failuresInRow === 0 ? 0 : Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failuresInRow - 1));
}

/** With OnFailure the kubelet restarts containers in place; these restarts count as failures of the job. */
function hasTooManyRestarts({ spec }: Job, pods: readonly Pod[], backoffLimit: number): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const restarts = pods.filter(isActive).reduce((sum, pod) => sum + restartsOf(pod), 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}
