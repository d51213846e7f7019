import { formatDuration } from '../../../model/duration.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { amount } from './evidence.ts';
import { isApplied, isReturning, type LimitException, type Overage } from '../../model/limit-exception.ts';
import type { OverageSteps } from './overage-steps.ts';

/** What open exceptions, and overages that are still to be taken back, come to in words; null: there are none. */
export function exceptionWords(exceptions: readonly LimitException[], steps: OverageSteps, now: Instant): string | null {
  const parts = exceptions.flatMap((exception) => {
    if (exception.state === 'open') return [openWords(exception, steps, now)];
    if (!isReturning(exception, now)) return [];
    const { resource, container, state } = exception;
    return [`${resource} of ${container}: ${state}; its earlier limit is being put back${waiting(steps.returned)}`];
  });
  return parts.length === 0 ? null : parts.join('; ');
}

function openWords(exception: LimitException, steps: OverageSteps, now: Instant): string {
  const { resource, container, type, evidence, proposed, overage } = exception;
  const what = `limit exception (${type}) on ${resource} of ${container}: ${evidence}`;
  if (overage !== null && isApplied(exception)) return `${what}; ${overageText(exception, overage, steps, now)}`;
  return proposed === null ? what : `${what}; proposed: ${amount(resource, proposed)}`;
}

function overageText({ resource }: LimitException, { value, until }: Overage, { given, returned }: OverageSteps, now: Instant): string {
  const lent = `its pods have ${amount(resource, value)}`;
  return until > now
    ? `${lent} for ${minutes(until - now)} more${waiting(given)}`
    : `${lent} until it can be taken back${waiting(returned)}`;
}

function waiting({ waits: [first] }: OverageSteps['given']): string {
  return first === undefined ? '' : `, and waits: ${first.message}`;
}

function minutes(left: DurationMs): string {
  return formatDuration(Math.max(MINUTE_MS, Math.floor(left / MINUTE_MS) * MINUTE_MS));
}
