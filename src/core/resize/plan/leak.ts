// Memory leaks: while one is suspected, request and limit stay as deployed. Each raise would only be used up later, and the
// container's own limit restarts it.

import type { ContainerAdvice } from '../../recommender/advice.ts';
import { DAY_MS, type DurationMs } from '#kube/units';
import type { LimitException } from '../model/limit-exception.ts';
import type { WorkloadSituation } from '../model/situation.ts';

/** So long a container is not treated as leaking after a person has approved its growth. */
export const LEAK_APPROVED_FOR_MS: DurationMs = 30 * DAY_MS;

/** Whether a container is treated as leaking: it is suspected, and no person has approved its growth lately. */
export function isLeakKept(
  container: string,
  advice: Pick<ContainerAdvice, 'leakSuspected'>,
  { memory, now }: Pick<WorkloadSituation, 'memory' | 'now'>,
): boolean {
  if (!advice.leakSuspected) return false;
  const own = memory.limitExceptions.find((each) => each.container === container && each.resource === 'memory');
  return own === undefined || !isLeakApproved(own, now);
}

export function isLeakApproved({ leakApprovedAt }: Pick<LimitException, 'leakApprovedAt'>, now: number): boolean {
  return leakApprovedAt !== null && now - leakApprovedAt < LEAK_APPROVED_FOR_MS;
}
