import { isoTime } from '#kube/time/iso-time';
import type { WorkloadKey } from '#kube/records/workload';
import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import type { Logger } from '../../../ports/logger.ts';

/** Logs a decision where its state or reason differs from the previous status; repeated decisions write no line. */
export function logDecision(
  logger: Logger,
  key: WorkloadKey,
  previous: RecommendationStatus | undefined,
  { state, reason, message, until }: WorkloadDecision,
): void {
  if (previous?.state === state && (previous.reason ?? null) === reason) return;
  const was = previous?.state === undefined ? undefined : [previous.state, previous.reason].filter((word) => word !== undefined).join(' ');
  const fields = {
    object: key,
    state,
    ...(reason === null ? {} : { reason }),
    why: message,
    ...(until === null ? {} : { until: isoTime(until) }),
    ...(was === undefined ? {} : { was }),
  };
  if (isRoutine(state, reason)) logger.debug('Decided', fields);
  else logger.info('Decided', fields);
}

/** Steps of a normal change, dozens per workload and day, which the lines of the resizes report already. */
function isRoutine(state: WorkloadDecision['state'], reason: WorkloadDecision['reason']): boolean {
  return state === 'applying' || (state === 'applied' && reason === null) || reason === 'cooldown';
}
