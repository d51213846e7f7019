// A change under way that waits: it is kept, and goes on where it can, but says what for, and keeps no other workload waiting.

import { formatDuration } from '../../model/duration.ts';
import { MINUTE_MS, type DurationMs } from '../../model/units.ts';
import type { CarryOut } from './carry-out.ts';
import { stageMs } from './stages.ts';
import { fromWaiting, outcome, type Outcome } from '../model/decision.ts';
import type { ChangeUnderWay, WorkloadSituation } from '../model/situation.ts';

/** On top of the time in which a stage proves itself: longer than that it comes no further. */
const STUCK_AFTER_MS: DurationMs = 30 * MINUTE_MS;

/** null: it goes on. */
export function waitingChange(change: ChangeUnderWay, progress: CarryOut, { now, policy }: WorkloadSituation): Outcome | null {
  const { steps, settled, reachable, waits } = progress;
  if (steps.length > 0) return null;
  const lasts = Math.floor((now - change.stageStartedAt) / MINUTE_MS) * MINUTE_MS;
  const far = `${settled.length} of ${reachable} pods have it`;
  const begun = outcome('applying', null, far);
  if (lasts < stageMs(policy) + STUCK_AFTER_MS) return settled.length === 0 && waits.length > 0 ? fromWaiting(waits, begun) : null;
  const stuck = `${far}, and no more for ${formatDuration(lasts)}`;
  const told = waits.map((wait) => ({ ...wait, message: `${stuck}; ${wait.message}` }));
  return fromWaiting(told, outcome('awaiting', 'stuck', `${stuck}; their nodes have not carried it out yet`));
}
