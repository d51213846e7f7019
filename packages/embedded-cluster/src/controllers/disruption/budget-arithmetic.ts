// Arithmetic of a disruption budget. Pure. https://kubernetes.io/docs/concepts/workloads/pods/disruptions/

import { resolveCount } from '../int-or-percent.ts';
import type { DisruptionBudget } from '../wire/policy.ts';

export interface BudgetCounts {
  /** Matching pods that are ready, not terminating and without a granted eviction. */
  readonly healthy: number;
  /** All matching pods. */
  readonly pods: number;
  /** Replicas that the pods' controllers request; null when a pod has no controller with a scale. */
  readonly scale: number | null;
}

export interface BudgetNumbers {
  readonly expectedPods: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly disruptionsAllowed: number;
}

/** An absolute `minAvailable` needs only the pods; all other budgets depend on the expected scale. */
export function isScaleNeeded({ spec }: DisruptionBudget): boolean {
  return spec.maxUnavailable !== undefined || typeof spec.minAvailable === 'string';
}

/** null when the budget needs the controllers' scale and there is none: no disruption is allowed. */
export function budgetNumbers({ spec }: DisruptionBudget, { healthy, pods, scale }: BudgetCounts): BudgetNumbers | null {
  if (spec.maxUnavailable !== undefined) {
    if (scale === null) return null;
    const unavailable = resolveCount(spec.maxUnavailable, scale, 'up') ?? 0;
    return allowance(healthy, scale, Math.max(0, scale - unavailable));
  }
  if (typeof spec.minAvailable === 'string') {
    return scale === null ? null : allowance(healthy, scale, resolveCount(spec.minAvailable, scale, 'up') ?? scale);
  }
  return allowance(healthy, pods, spec.minAvailable ?? 1);
}

function allowance(currentHealthy: number, expectedPods: number, desiredHealthy: number): BudgetNumbers {
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return { expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed };
}
