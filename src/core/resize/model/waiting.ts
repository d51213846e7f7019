import type { AwaitingReason } from '../../../apis/conditions.ts';
import type { Instant } from '#kube/units';

/** Why something waits. `until`: the earliest next try, null where that is not known. */
export interface Waiting {
  readonly reason: AwaitingReason;
  readonly message: string;
  readonly until: Instant | null;
}

export function waiting(reason: AwaitingReason, message: string, until: Instant | null = null): Waiting {
  return { reason, message, until };
}

/**
 * Which reason is shown where several changes or pods wait, the lowest rank first: what a user decides, then what holds the workload,
 * then what holds single changes, then what holds single pods. A Record, so that a new reason needs a rank to compile.
 */
export const WAITING_RANK: Readonly<Record<AwaitingReason, number>> = {
  paused: 0,
  'dry-run': 1,
  approval: 2,
  hold: 3,
  'rolled-back': 4,
  'warm-up': 5,
  rollout: 6,
  'start-up': 7,
  window: 8,
  cooldown: 9,
  confidence: 10,
  unmeasured: 11,
  hpa: 12,
  quota: 13,
  concurrency: 14,
  'disruption-budget': 15,
  'not-evictable': 16,
  'node-capacity': 17,
  stuck: 18,
  'node-draining': 19,
  'node-unsupported': 20,
  restart: 21,
  'stale-data': 22,
};

/** Of several, the one to show: that of the lowest rank, with the earliest time of all that share it. */
export function mostSpecific(all: readonly Waiting[]): Waiting | null {
  const [first] = [...all].sort((a, b) => WAITING_RANK[a.reason] - WAITING_RANK[b.reason]);
  if (first === undefined) return null;
  const untils = all.flatMap((each) => (each.reason === first.reason && each.until !== null ? [each.until] : []));
  return { ...first, until: untils.length === 0 ? null : Math.min(...untils) };
}
