import type { Lane } from '../core/effects/effect.ts';
import { recentReductions } from '../core/effects/gate.ts';
import type { Instant } from '#kube/units';

/** How many reductions a minute each lane may make in the cluster; a lane that is left out has no budget. */
export type ReductionsPerMinute = Readonly<Partial<Record<Lane, () => number>>>;

/** Reductions of the last minute, counted per lane: what one lane has used up holds back no other. */
export class LaneBudgets {
  readonly #perMinute: ReductionsPerMinute;
  readonly #sentAt = new Map<Lane, readonly Instant[]>();

  constructor(perMinute: ReductionsPerMinute) {
    this.#perMinute = perMinute;
  }

  /** Takes one reduction of this minute. @returns why it has to wait; null: it was taken */
  take(lane: Lane, now: Instant): string | null {
    const budget = this.#perMinute[lane]?.();
    if (budget === undefined) return null;
    const recent = recentReductions(this.#sentAt.get(lane) ?? [], now);
    const isUsedUp = recent.length >= budget;
    this.#sentAt.set(lane, isUsedUp ? recent : [...recent, now]);
    return isUsedUp ? `no more than ${budget} reductions a minute in the cluster (lane ${lane})` : null;
  }
}
