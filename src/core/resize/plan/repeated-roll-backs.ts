// A reduction that harms each time it is tried ends here: holds alone, a week each in the end, would let it be tried for ever.

import { FIELD } from '../model/container-values.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { waiting, type Waiting } from '../model/waiting.ts';
import type { DueChange } from './due-changes.ts';

/** Holds of 1, 2, 4 and 7 days lie between: what was harmful three weeks long is not a matter of the moment. */
const MAX_IN_A_ROW = 5;
/** A target that is greater by this much is another one. */
const GREATER_RATIO = 1.1;

/** Why a reduction to the values that were taken back, or below, is not tried again; null: it may be. */
export function harmedTooOften(
  { memory: { rolledBack } }: Pick<WorkloadSituation, 'memory'>,
  { container, resource, to }: DueChange,
): Waiting | null {
  // A user's own roll-back begins the count anew.
  if (to === undefined || rolledBack?.requestedAt !== null || rolledBack.count < MAX_IN_A_ROW) return null;
  const takenBack = rolledBack.values.get(container)?.requests[FIELD[resource]] ?? null;
  if (takenBack === null || to > takenBack * GREATER_RATIO) return null;
  const times = `taken back ${rolledBack.count} times in a row (${rolledBack.message})`;
  return waiting(
    'rolled-back',
    `${times}: ${resource} of ${container} is not reduced so far again; a min above it, or more margin, ends the wait`,
  );
}
