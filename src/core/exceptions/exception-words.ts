import type { Instant } from '../model/units.ts';
import { formatDuration } from '../model/duration.ts';
import { MINUTE_MS } from '../model/units.ts';
import { amount } from './evidence.ts';
import { isApplied, isReturning, type LimitException } from './limit-exception.ts';
import type { CarryOut } from '../rightsizing/apply/carry-out.ts';

/** What open exceptions, and overages that are still to be taken back, come to in words; null: there are none. */
export function exceptionWords(exceptions: readonly LimitException[], returned: Pick<CarryOut, 'waits'>, now: Instant): string | null {
  const parts = exceptions.flatMap((exception) => {
    if (exception.state === 'open') return [openWords(exception, now)];
    if (!isReturning(exception, now)) return [];
    const waits = returned.waits[0]?.message;
    return [
      `${exception.resource} of ${exception.container}: ${exception.state}; its earlier limit is being put back${waits === undefined ? '' : `, and waits: ${waits}`}`,
    ];
  });
  return parts.length === 0 ? null : parts.join('; ');
}

function openWords(exception: LimitException, now: Instant): string {
  const { resource, container, type, evidence, proposed, overage } = exception;
  const ends = overage === null ? 0 : overage.until - now;
  const rest =
    isApplied(exception) && overage !== null
      ? `; its pods have ${amount(resource, overage.value)} ${ends > 0 ? `for ${formatDuration(Math.max(MINUTE_MS, Math.floor(ends / MINUTE_MS) * MINUTE_MS))} more` : 'until it can be taken back'}`
      : proposed === null
        ? ''
        : `; proposed: ${amount(resource, proposed)}`;
  return `limit exception (${type}) on ${resource} of ${container}: ${evidence}${rest}`;
}
