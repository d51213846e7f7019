// Pods that get new values only when they are created: because the policy says so, because they end before a resize would be
// worth it, or because a resize would restart them anyway.

import { isShortLived } from './interlocks.ts';
import type { Waiting } from '../model/waiting.ts';
import type { WorkloadSituation } from '../model/situation.ts';

/** Nothing of the workload is ever resized in place. */
export function isSizedAtCreationOnly({ policy, workload }: Pick<WorkloadSituation, 'policy' | 'workload'>): boolean {
  return policy.apply === 'OnRestart' || isShortLived(workload.kind);
}

/** No pod can be given the values in place, and admission gives them to all new pods: they are in force from now on. */
export function takesEffectAtCreation(context: WorkloadSituation, waits: readonly Waiting[]): boolean {
  if (context.gateState.admission !== true) return false;
  return (
    isSizedAtCreationOnly(context) ||
    (waits.length > 0 && waits.every(({ reason }) => reason === 'restart' || reason === 'node-unsupported'))
  );
}
