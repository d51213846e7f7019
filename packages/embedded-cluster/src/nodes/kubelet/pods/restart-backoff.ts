import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';

/** The kubelet's back-off: 10 s, doubled at each crash, at most 5 minutes, reset after 10 minutes without a crash. */
const FIRST_BACKOFF_MS: DurationMs = 10 * SECOND_MS;
const MAX_BACKOFF_MS: DurationMs = 5 * MINUTE_MS;
const FORGET_AFTER_MS: DurationMs = 2 * MAX_BACKOFF_MS;

/** Delay before the next start of an ended container. */
export class RestartBackoff {
  #nextMs: DurationMs = 0;

  /** The first restart is immediate; later ones are delayed. */
  next(startedAt: Instant, finishedAt: Instant): DurationMs {
    if (finishedAt - startedAt >= FORGET_AFTER_MS) this.#nextMs = 0;
    const waitMs = this.#nextMs;
    this.#nextMs = waitMs === 0 ? FIRST_BACKOFF_MS : Math.min(MAX_BACKOFF_MS, waitMs * 2);
    return waitMs;
  }
}

/** `10s`, `1m20s`, `5m0s`: as Go prints a duration, which the kubelet's messages carry. */
export function goDuration(ms: DurationMs): string {
  const seconds = Math.round(ms / SECOND_MS);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
