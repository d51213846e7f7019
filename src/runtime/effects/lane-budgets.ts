import type { Lane } from '../../core/effects/effect.ts';
import { recentReductions } from '../../core/effects/gate.ts';
import type { Instant } from '#kube/units';

/** Reductions per minute in the cluster, by lane; a lane that is absent has no budget. */
export type ReductionsPerMinute = Readonly<Partial<Record<Lane, () => number>>>;

/** Counts the reductions of the last minute by lane: an exhausted lane blocks no other. */
export class LaneBudgets {
  readonly #perMinute: ReductionsPerMinute;
  readonly #sentAt = new Map<Lane, readonly Instant[]>();

  constructor(perMinute: ReductionsPerMinute) {
    this.#perMinute = perMinute;
  }

  /**
   * Takes one reduction from the lane's budget.
   * @returns null where it was taken, else why it has to wait
   */
  take(lane: Lane, now: Instant): string | null {
    const budget = this.#perMinute[lane]?.();
    if (budget === undefined) return null;
    const recent = recentReductions(this.#sentAt.get(lane) ?? [], now);
    const isExhausted = recent.length >= budget;
    this.#sentAt.set(lane, isExhausted ? recent : [...recent, now]);
    return isExhausted ? `no more than ${budget} reductions a minute in the cluster (lane ${lane})` : null;
  }
}
