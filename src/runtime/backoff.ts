import type { DurationMs } from '#kube/units';
import type { Random } from '../ports/random.ts';

/** Exponential back-off with jitter. */
export interface BackoffRules {
  readonly firstMs: DurationMs;
  readonly maxMs: DurationMs;
  readonly factor: number;
  /** Share of the delay that is random, 0–1: 0.5 spreads a delay over 50–100 % of itself. */
  readonly jitterRatio: number;
}

/** Back-off of reconcilers. Reconciling depends on the API server alone, so the longest delay is short enough for a user to wait for it. */
export const RECONCILE_BACKOFF: BackoffRules = { firstMs: 5, maxMs: 300_000, factor: 2, jitterRatio: 0.5 };

/** The delay after a number of consecutive failures; 1 is the first failure. */
export function backoffMs(rules: BackoffRules, failures: number, random: Random): DurationMs {
  const exponent = Math.max(0, failures - 1);
  const delay = Math.min(rules.maxMs, rules.firstMs * rules.factor ** exponent);
  return delay * (1 - rules.jitterRatio * random.next());
}
