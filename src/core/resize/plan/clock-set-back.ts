// After the clock was set back, usage is left out until the time of the newest sample comes again: what is used now is not known.

import { isoTime } from '../../model/iso-time.ts';
import { MINUTE_MS, type DurationMs } from '../../model/units.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { Waiting } from '../model/waiting.ts';

/** Clocks of nodes differ a little. */
const CLOCK_SKEW_MS: DurationMs = MINUTE_MS;

/** Why nothing of these containers is lowered; null: usage is taken in. */
export function waitsForClock({ advice, now }: Pick<WorkloadSituation, 'advice' | 'now'>, containers: readonly string[]): Waiting | null {
  const behind = advice.find(
    ({ container, lastSampleAt, isUsageLeftOut }) =>
      containers.includes(container) && (isUsageLeftOut === true || lastSampleAt > now + CLOCK_SKEW_MS),
  );
  if (behind === undefined) return null;
  const { container, lastSampleAt } = behind;
  const message = `the clock was set back, and usage of ${container} is left out until ${isoTime(lastSampleAt)}: nothing is reduced before it is taken in again`;
  return { reason: 'stale-data', message, until: lastSampleAt > now ? lastSampleAt : null };
}
