import type { DurationMs } from '#kube/units';
import type { Random } from '../ports/random.ts';

export interface BackoffRules {
  readonly firstMs: DurationMs;
  readonly maxMs: DurationMs;
  readonly factor: number;
  /** Share of the delay that is random, 0–1: 0.5 spreads a delay over 50–100 % of itself. */
  readonly jitterRatio: number;
}

/** Reconcilers: our work is API-bound, so the longest wait is short enough for a person to watch it end. */
export const RECONCILE_BACKOFF: BackoffRules = { firstMs: 5, maxMs: 300_000, factor: 2, jitterRatio: 0.5 };

/** Delay before try number `failures` + 1 (the first failure is 1). */
export function backoffMs(rules: BackoffRules, failures: number, random: Random): DurationMs {
  const exponent = Math.max(0, failures - 1);
  const delay = Math.min(rules.maxMs, rules.firstMs * rules.factor ** exponent);
  return delay * (1 - rules.jitterRatio * random.next());
}
