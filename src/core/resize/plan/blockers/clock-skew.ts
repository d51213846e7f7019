// Blocks reductions while clocks differ. After the clock was set back, samples are dropped until the time of the newest sample; those
// of a replica whose node's clock is far behind are dropped, too. Present usage is then unknown.

import { isoTime } from '#kube/time/iso-time';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { Waiting } from '../../model/waiting.ts';

/** Tolerated difference between the clocks of nodes and the controller. */
const CLOCK_SKEW_MS: DurationMs = MINUTE_MS;

/** Why these containers are not reduced; null: their samples are accepted. */
export function awaitClock({ advice, now }: Pick<WorkloadSituation, 'advice' | 'now'>, containers: readonly string[]): Waiting | null {
  const behind = advice.find(
    ({ container, lastSampleAt, isUsageLeftOut }) =>
      containers.includes(container) && (isUsageLeftOut === true || lastSampleAt > now + CLOCK_SKEW_MS),
  );
  if (behind === undefined) return null;
  const { container, lastSampleAt } = behind;
  const isAhead = lastSampleAt > now;
  const why = isAhead
    ? `the clock was set back, so samples of ${container} are dropped until ${isoTime(lastSampleAt)}`
    : `samples of ${container} are dropped because they are older than recorded ones: the clock of a node is behind, or the controller’s was set back`;
  return { reason: 'stale-data', message: `${why}; no reduction until samples are accepted again`, until: isAhead ? lastSampleAt : null };
}
