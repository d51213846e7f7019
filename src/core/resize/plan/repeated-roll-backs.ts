// Stops a reduction that was rolled back each time: holds alone, of at most a week, would let it be retried for ever.

import { FIELD } from '../model/container-values.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { waiting, type Waiting } from '../model/waiting.ts';
import type { DueChange } from './due-changes.ts';

/** Maximum number of consecutive roll-backs. The holds between them, of 1, 2, 4 and 7 days, cover temporary causes. */
const MAX_IN_A_ROW = 5;
/** A target that is greater by this ratio counts as a different one. */
const GREATER_RATIO = 1.1;

/** Why a reduction to the values that were rolled back, or below, is not tried again; null: it may be. */
export function findRepeatedRollBacks(
  { memory: { rolledBack } }: Pick<WorkloadSituation, 'memory'>,
  { container, resource, to }: DueChange,
): Waiting | null {
  // A roll-back that a user requested resets the count.
  if (to === undefined || rolledBack?.requestedAt !== null || rolledBack.count < MAX_IN_A_ROW) return null;
  const takenBack = rolledBack.values.get(container)?.requests[FIELD[resource]] ?? null;
  if (takenBack === null || to > takenBack * GREATER_RATIO) return null;
  const times = `rolled back ${rolledBack.count} times in a row (${rolledBack.message})`;
  return waiting(
    'rolled-back',
    `${times}: ${resource} of ${container} is not reduced to that value again; raise min or margin in the policy to continue`,
  );
}
