// Which replicas of a container have been throttled without a pause, and since when: the evidence on which a CPU limit is raised.

import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';

/** A replica that was throttled from `since` until `until`, as far as its counters have been read. */
export interface ThrottledPod {
  readonly pod: string;
  readonly since: Instant;
  readonly until: Instant;
}

/** A container that is throttled in a quarter of its periods has less CPU than it would use. */
export const THROTTLED_RATIO: Ratio = 0.25;
/** Counters are read every 5 minutes where usage is near the limit; two readings may fail. */
const MAX_GAP_MS: DurationMs = 16 * MINUTE_MS;
const FORGOTTEN_MS: DurationMs = 2 * HOUR_MS;

/** Holds the throttled replicas alone. */
export class ThrottledPods {
  readonly #throttled = new Map<string, ThrottledPod>();
  #measuredAt: Instant | null = null;

  /** @param sample one without a throttled share says nothing */
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
    for (const [name, { until }] of this.#throttled) if (at - until > FORGOTTEN_MS) this.#throttled.delete(name);
  }

  /** When the throttled share of any replica was last measured; null: it never was. */
  get measuredAt(): Instant | null {
    return this.#measuredAt;
  }

  list(): readonly ThrottledPod[] {
    return [...this.#throttled.values()];
  }
}

/** Whether a replica has been throttled for that long, and still is. */
export function isThrottledFor({ since, until }: ThrottledPod, forMs: DurationMs, now: Instant): boolean {
  return until - since >= forMs && now - until <= MAX_GAP_MS;
}
