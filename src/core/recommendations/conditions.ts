import { isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';

/** A condition as objects hold it (KEP-1623). */
export interface WireCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** What a condition says now. */
export interface ConditionNow {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions to write: the time of the last transition moves only when a status does. */
export function nextConditions(
  before: readonly WireCondition[],
  now: readonly ConditionNow[],
  generation: number | null,
  at: Instant,
): readonly WireCondition[] {
  return now.map(({ type, status, reason, message }) => {
    const known = before.find((condition) => condition.type === type);
    const word = status ? 'True' : 'False';
    return {
      type,
      status: word,
      ...(generation === null ? {} : { observedGeneration: generation }),
      lastTransitionTime: known?.status === word ? known.lastTransitionTime : isoTime(at),
      reason,
      message,
    };
  });
}
