import { DAY_MS, type DurationMs } from '#kube/units';
import type { ResourceAdvice, ResourceRules } from './advice.ts';

/** Smallest dead band around the target, as ratios of it: a smaller change saves less than its resize costs. */
const MIN_SLACK_BELOW = 0.95;
const MIN_SLACK_ABOVE = 1.1;
/** Widens the upper bound while history is short: by half with one day, by a twentieth with ten. */
const COLD_START_WIDENING_DAYS = 0.5;

/**
 * Dead band: a request between the bounds need not be changed at once.
 * @param savings the request of goal Savings; `safe`: of goal Safe
 * @param urgent a request below it is under-provisioned at any goal; 0: none is
 */
export function adviceBounds(
  target: number,
  { min, max }: ResourceRules,
  {
    savings,
    safe,
    urgent,
    historyMs,
  }: { readonly savings: number; readonly safe: number; readonly urgent: number; readonly historyMs: DurationMs },
): Pick<ResourceAdvice, 'lowerBound' | 'upperBound'> {
  const lower = Math.max(urgent, Math.min(savings, target * MIN_SLACK_BELOW));
  const widening = 1 + COLD_START_WIDENING_DAYS / Math.max(historyMs / DAY_MS, COLD_START_WIDENING_DAYS);
  const upper = Math.max(safe, target * MIN_SLACK_ABOVE) * widening;
  return {
    lowerBound: Math.min(target, Math.max(min, Math.floor(lower))),
    upperBound: Math.max(target, Math.ceil(Math.min(upper, max ?? upper))),
  };
}
