// Pods that get new values only at creation: with apply OnRestart, for short-lived workloads, and where a resize would restart the
// container.

import { isShortLived } from './blockers.ts';
import type { Waiting } from '../../model/waiting.ts';
import type { WorkloadSituation } from '../../model/situation.ts';

/** Whether pods of the workload are never resized in place. */
export function isSizedAtCreationOnly({ policy, workload }: Pick<WorkloadSituation, 'policy' | 'workload'>): boolean {
  return policy.apply === 'OnRestart' || isShortLived(workload.kind);
}

/** Whether a change takes effect only at creation: no pod can be resized in place, and the webhook sets the values on all new pods. */
export function isEffectiveAtCreation(context: WorkloadSituation, waits: readonly Waiting[]): boolean {
  if (context.gateState.admission !== true) return false;
  return (
    isSizedAtCreationOnly(context) ||
    (waits.length > 0 && waits.every(({ reason }) => reason === 'restart' || reason === 'node-unsupported'))
  );
}
