// The order in which Recommendations are written where more are due than may be written.

import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import type { StatusChange } from './status-change.ts';

/**
 * The most important first. `urgent`: something is carried out or a user request is answered, for which the write is a precondition.
 * `collecting`: the first status of a workload of which nothing is known yet.
 */
export const WRITE_PRIORITIES = ['urgent', 'state', 'amounts', 'refresh', 'collecting'] as const;

export type WritePriority = (typeof WRITE_PRIORITIES)[number];

/**
 * @param before the stored status; undefined: there is none
 * @param change what differs from it, for a first status from an empty one
 */
export function writePriority(decision: WorkloadDecision, before: RecommendationStatus | undefined, change: StatusChange): WritePriority {
  if (change === 'memory' || isActing(decision)) return 'urgent';
  if (before === undefined) return decision.state === 'collecting' ? 'collecting' : 'amounts';
  // All workloads of a new cluster get their first values within minutes of each other.
  if (before.state === 'collecting') return 'amounts';
  return change === 'age' ? 'refresh' : change;
}

/** Whether a decision changes something now, or records Events, which the stored memory keeps from being repeated. */
function isActing({ steps, scale, evict, ceilings, events, memory }: WorkloadDecision): boolean {
  if (steps.length > 0 || scale !== undefined || evict !== null || events.length > 0) return true;
  return (ceilings?.length ?? 0) > 0 || memory.apply !== null;
}
