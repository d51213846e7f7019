// Whether a budget allows the eviction of a pod. Pure. https://kubernetes.io/docs/tasks/run-application/configure-pdb/

import { isReady, isTerminal, isTerminating } from '../../controllers/pods/pod-state.ts';
import type { Pod } from '../../controllers/wire/pod.ts';
import type { DisruptionBudget } from '../../controllers/wire/policy.ts';

/** Granted evictions that the budget's controller has not seen yet; beyond this number the controller is not keeping up. */
const MAX_DISRUPTED_PODS = 2000;

export type EvictionRuling =
  /** The eviction is allowed. `takesDisruption`: it decrements the budget's allowance. */
  | { readonly kind: 'granted'; readonly takesDisruption: boolean }
  | { readonly kind: 'later'; readonly why: string; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'refused'; readonly why: string };

/** Pending and finished pods may be evicted regardless of the budget. */
export function isBeyondBudgets(pod: Pod): boolean {
  return isTerminal(pod) || isTerminating(pod) || pod.status.phase === 'Pending';
}

export function ruleOnEviction(pod: Pod, budget: DisruptionBudget): EvictionRuling {
  const { name, generation = 1 } = budget.metadata;
  const status = budget.status;
  if (status === undefined || (status.observedGeneration ?? 0) < generation) {
    return { kind: 'later', why: `The disruption budget ${name} is still being processed by the server.`, retryAfterSeconds: 10 };
  }
  if (!isReady(pod) && isFreeWhileUnhealthy(budget)) return { kind: 'granted', takesDisruption: false };
  if (status.disruptionsAllowed < 0) return { kind: 'refused', why: 'pdb disruptions allowed is negative' };
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    return { kind: 'refused', why: 'DisruptedPods map too big - too many evictions not confirmed by PDB controller' };
  }
  if (status.disruptionsAllowed === 0) {
    const why = `The disruption budget ${name} needs ${String(status.desiredHealthy)} healthy pods and has ${String(status.currentHealthy)} currently`;
    return { kind: 'later', why, retryAfterSeconds: null };
  }
  return { kind: 'granted', takesDisruption: true };
}

/** An unready pod does not count as healthy: it may be evicted always, or (by default) while the others meet the budget. */
function isFreeWhileUnhealthy({ spec, status }: DisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return status !== undefined && status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy;
}
