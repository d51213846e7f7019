import { DAY_MS, type DurationMs } from '#kube/units';
import type { ResourceAdvice, ResourceRules } from './advice.ts';

/** A request this far below or above the target is never a matter of taste. */
const MIN_SLACK_BELOW = 0.95;
const MIN_SLACK_ABOVE = 1.1;
/** With one day of history the upper bound is half as high again as with many. */
const YOUNG_WIDENING_DAYS = 0.5;

/**
 * Between which requests a change can wait.
 * @param savings what goal Savings would request, `safe` what goal Safe would
 * @param urgent a request below this is too small whatever the goals say; 0: nothing is
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
  const widening = 1 + YOUNG_WIDENING_DAYS / Math.max(historyMs / DAY_MS, YOUNG_WIDENING_DAYS);
  const upper = Math.max(safe, target * MIN_SLACK_ABOVE) * widening;
  return {
    lowerBound: Math.min(target, Math.max(min, Math.floor(lower))),
    upperBound: Math.max(target, Math.ceil(Math.min(upper, max ?? upper))),
  };
}
