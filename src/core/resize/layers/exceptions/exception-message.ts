import { formatDuration } from '../../../model/duration.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { amount } from './evidence.ts';
import { isApplied, isOverageEnding, type LimitException, type Overage } from '../../model/limit-exception.ts';
import type { OverageSteps } from './overage-steps.ts';

/** Part of a decision's message about open exceptions and overages that are being taken back; null: none. */
export function describeExceptions(exceptions: readonly LimitException[], steps: OverageSteps, now: Instant): string | null {
  const parts = exceptions.flatMap((exception) => {
    if (exception.state === 'open') return [describeOpen(exception, steps, now)];
    if (!isOverageEnding(exception, now)) return [];
    const { resource, container, state } = exception;
    return [`${resource} of ${container}: ${state}; the previous limit is being restored${waiting(steps.returned)}`];
  });
  return parts.length === 0 ? null : parts.join('; ');
}

function describeOpen(exception: LimitException, steps: OverageSteps, now: Instant): string {
  const { resource, container, type, evidence, proposed, overage } = exception;
  const what = `limit exception (${type}) on ${resource} of ${container}: ${evidence}`;
  if (overage !== null && isApplied(exception)) return `${what}; ${describeOverage(exception, overage, steps, now)}`;
  return proposed === null ? what : `${what}; proposed: ${amount(resource, proposed)}`;
}

function describeOverage({ resource }: LimitException, { value, until }: Overage, { given, returned }: OverageSteps, now: Instant): string {
  const temporary = `the pods have a temporary limit of ${amount(resource, value)}`;
  return until > now
    ? `${temporary} for ${minutes(until - now)} more${waiting(given)}`
    : `${temporary} until it can be taken back${waiting(returned)}`;
}

function waiting({ waits: [first] }: OverageSteps['given']): string {
  return first === undefined ? '' : `, and waits: ${first.message}`;
}

function minutes(left: DurationMs): string {
  return formatDuration(Math.max(MINUTE_MS, Math.floor(left / MINUTE_MS) * MINUTE_MS));
}
