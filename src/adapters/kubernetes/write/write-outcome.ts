import type { ApiResponse } from '#kube/api-transport';
import type { WriteOutcome } from '../../../ports/cluster/writers.ts';
import { ApiFault, failureOf, isBudgetRefusal, isConflict, isFailedTest, isForbidden, isNotFound } from '../status.ts';

/**
 * Outcome of a write as a value where a caller can react to it. @throws ApiFault for others (overloaded or failing server, rejected
 * credentials), which the reconciler retries
 */
export function writeOutcome(attempt: string, response: ApiResponse): WriteOutcome {
  const failure = failureOf(response);
  if (failure === null) return { kind: 'done' };
  if (isNotFound(failure)) return { kind: 'gone', message: failure.message };
  if (isConflict(failure) || isFailedTest(failure)) return { kind: 'conflict', message: failure.message };
  const refused = isForbidden(failure) || isBudgetRefusal(failure) || [400, 405, 413, 415, 422].includes(failure.status);
  if (refused) return { kind: 'refused', status: failure.status, message: failure.message };
  throw new ApiFault(attempt, failure);
}
