import { isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';

/** A `metav1.Condition` (KEP-1623). */
export interface WireCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** Current value of a condition. */
export interface ConditionNow {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Conditions to write: lastTransitionTime changes only with the status. @param generation observed; null: none */
export function nextConditions(
  before: readonly WireCondition[],
  now: readonly ConditionNow[],
  generation: number | null,
  at: Instant,
): readonly WireCondition[] {
  return now.map(({ type, status, reason, message }) => {
    const known = before.find((condition) => condition.type === type);
    const wireStatus = status ? 'True' : 'False';
    return {
      type,
      status: wireStatus,
      ...(generation === null ? {} : { observedGeneration: generation }),
      lastTransitionTime: known?.status === wireStatus ? known.lastTransitionTime : isoTime(at),
      reason,
      message,
    };
  });
}
