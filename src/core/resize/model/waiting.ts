import type { AwaitingReason } from '../../../apis/conditions.ts';
import type { Instant } from '#kube/units';

/** Reason for which a change or a pod waits. `until`: earliest next attempt; null: unknown. */
export interface Waiting {
  readonly reason: AwaitingReason;
  readonly message: string;
  readonly until: Instant | null;
}

export function waiting(reason: AwaitingReason, message: string, until: Instant | null = null): Waiting {
  return { reason, message, until };
}

/**
 * Rank of each reason; where several changes or pods wait, the reason with the lowest rank is reported: first those that a user decides,
 * then those of the workload, of single changes, and of single pods. A Record, so that a new reason does not compile without a rank.
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

/** The wait to report: of those with the lowest rank, the one that ends first, so that message and time belong together. null: none. */
export function pickByRank(all: readonly Waiting[]): Waiting | null {
  const endOf = ({ until }: Waiting): number => until ?? Number.POSITIVE_INFINITY;
  const compare = (a: Waiting, b: Waiting): number =>
    WAITING_RANK[a.reason] - WAITING_RANK[b.reason] || (endOf(a) < endOf(b) ? -1 : endOf(a) > endOf(b) ? 1 : 0);
  return all.toSorted(compare)[0] ?? null;
}
