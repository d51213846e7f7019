// Tracks which replicas of a container are continuously throttled, and since when: the evidence for raising a CPU limit.

import { CompactMap } from '#kube/compact-map';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';

/** A replica that was throttled from `since` until its last reading at `until`. */
export interface ThrottledPod {
  readonly pod: string;
  readonly since: Instant;
  readonly until: Instant;
}

/** Share of CPU periods from which a container counts as throttled: it would use more CPU than its limit. */
export const THROTTLED_RATIO: Ratio = 0.25;
/** Longest gap between readings: counters are read every 5 minutes where usage is near the limit, and two readings may fail. */
const MAX_GAP_MS: DurationMs = 16 * MINUTE_MS;
const FORGOTTEN_MS: DurationMs = 2 * HOUR_MS;

/** Stores only the throttled replicas. */
export class ThrottledPods {
  readonly #throttled = new CompactMap<ThrottledPod>();
  #measuredAt: Instant | null = null;

  /** Adds a sample; one without a throttled share is ignored. */
  observe(pod: string, { at, throttledRatio = null, throttledSpanMs }: UsageSample): void {
    if (throttledRatio === null) return;
    this.#measuredAt = at;
    if (throttledRatio < THROTTLED_RATIO) {
      this.#throttled.delete(pod);
      return;
    }
    const from = at - (throttledSpanMs ?? MINUTE_MS);
    const before = this.#throttled.get(pod);
    const since = before !== undefined && from - before.until <= MAX_GAP_MS ? before.since : from;
    this.#throttled.set(pod, { pod, since, until: at });
    for (const [name, { until }] of this.#throttled.entries()) if (at - until > FORGOTTEN_MS) this.#throttled.delete(name);
  }

  /** Time at which the throttled share of any replica was last measured; null: never. */
  get measuredAt(): Instant | null {
    return this.#measuredAt;
  }

  list(): readonly ThrottledPod[] {
    return [...this.#throttled.values()];
  }
}

/** Whether a replica has been throttled for at least `forMs`, and was at its last reading, which is recent. */
export function isThrottledFor({ since, until }: ThrottledPod, forMs: DurationMs, now: Instant): boolean {
  return until - since >= forMs && now - until <= MAX_GAP_MS;
}
