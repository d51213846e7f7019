// After the clock was set back, usage is left out until the time of the newest sample comes again, and that of a replica whose
// node has a clock that is far behind for as long: what is used now is not known.

import { isoTime } from '#kube/time/iso-time';
import { MINUTE_MS, type DurationMs } from '#kube/units';
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
  const isAhead = lastSampleAt > now;
  const why = isAhead
    ? `the clock was set back, and usage of ${container} is left out until ${isoTime(lastSampleAt)}`
    : `usage of ${container} is left out, as its times are older than what is known: the clock of a node is behind, or the controller’s was set back`;
  return { reason: 'stale-data', message: `${why}: nothing is reduced before it is taken in again`, until: isAhead ? lastSampleAt : null };
}
