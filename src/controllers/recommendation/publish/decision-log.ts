import { isoTime } from '#kube/time/iso-time';
import type { WorkloadKey } from '#kube/records/workload';
import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import type { DecisionEvent } from '../../../core/resize/model/decision-event.ts';
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
  else if (isForUser(state, reason)) logger.warn('Decided', fields);
  else logger.info('Decided', fields);
}

/** Steps of a normal change, dozens per workload and day, which the lines of the resizes report already. */
function isRoutine(state: WorkloadDecision['state'], reason: WorkloadDecision['reason']): boolean {
  return state === 'applying' || (state === 'applied' && reason === null) || reason === 'cooldown';
}

/** States that only a user can end, and a roll-back, which shows that a change did harm. */
const FOR_USERS: ReadonlySet<string | null> = new Set(['invalid-annotation', 'invalid-template', 'invalid-policy', 'rolled-back']);

function isForUser(state: WorkloadDecision['state'], reason: WorkloadDecision['reason']): boolean {
  return (state === 'blocked' || state === 'awaiting') && FOR_USERS.has(reason);
}

/** Events that report once what a user should know: a roll-back, and an approval that is not carried out. */
const WARNED: ReadonlySet<DecisionEvent['reason']> = new Set(['RolledBack', 'ApprovalLapsed']);

/** Logs the Events of a decision that a user should know of. */
export function logEvents(logger: Logger, key: WorkloadKey, events: readonly DecisionEvent[]): void {
  for (const { reason, message } of events) if (WARNED.has(reason)) logger.warn(message, { object: key, event: reason });
}
