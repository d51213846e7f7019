import { HOUR_MS, MINUTE_MS, type DurationMs } from '#kube/units';

/** `auth.session`: when sessions end without a sign-out. */
export interface SessionLimits {
  /** A session ends this long after the sign-in, however active it is. */
  readonly lifetimeMs: DurationMs;
  /** A session without a request for this long has ended. */
  readonly idleMs: DurationMs;
}

/** The limits that the settings have by default. */
export const DEFAULT_SESSION_LIMITS: SessionLimits = { lifetimeMs: 12 * HOUR_MS, idleMs: HOUR_MS };
/** Tolerated difference between the clocks of two replicas. The least idle time of the settings is longer. */
export const CLOCK_DIFFERENCE_MS: DurationMs = 5 * MINUTE_MS;
