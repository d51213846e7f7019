// Memory leaks: while one is suspected, request and limit stay as deployed. A raise would only be used up later, and the OOM kill at the
// limit restarts the container.

import type { ContainerAdvice } from '../../../recommender/advice.ts';
import { DAY_MS, type DurationMs } from '#kube/units';
import type { LimitException } from '../../model/limit-exception.ts';
import type { WorkloadSituation } from '../../model/situation.ts';

/** Time for which a container is not treated as leaking after a user approved its growth. */
export const LEAK_APPROVED_FOR_MS: DurationMs = 30 * DAY_MS;

/** Whether a container is treated as leaking: a leak is suspected, and no user approved its growth in the last 30 days. */
export function isTreatedAsLeak(
  container: string,
  advice: Pick<ContainerAdvice, 'leakSuspected'>,
  { memory, now }: Pick<WorkloadSituation, 'memory' | 'now'>,
): boolean {
  if (!advice.leakSuspected) return false;
  const ownException = memory.limitExceptions.find((each) => each.container === container && each.resource === 'memory');
  return ownException === undefined || !isLeakApproved(ownException, now);
}

/** Whether a user approved the growth of memory in the last 30 days. */
export function isLeakApproved({ leakApprovedAt }: Pick<LimitException, 'leakApprovedAt'>, now: number): boolean {
  return leakApprovedAt !== null && now - leakApprovedAt < LEAK_APPROVED_FOR_MS;
}
