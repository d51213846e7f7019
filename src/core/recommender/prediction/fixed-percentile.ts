import type { ResourceRules } from '../advice.ts';
import { marginText, type ExplainedValue } from '../explained-value.ts';

/** Default margin on a fixed percentile, as in VPA and KRR. */
const FIXED_MARGIN = 0.15;

/** Adds the steps of a policy's fixed percentile and its margin. */
export function addFixedPercentile(
  sum: ExplainedValue,
  model: { peak(hours: number): number; percentile(percentile: number): number },
  { percentile, margin }: ResourceRules & { readonly percentile: number },
): void {
  const usage = percentile >= 1 ? model.peak(Infinity) : model.percentile(percentile);
  const ratio = margin ?? FIXED_MARGIN;
  const origin = margin === null ? ' (the default for a fixed percentile)' : '';
  sum.moveTo('usage', usage, `p${Number((percentile * 100).toFixed(2))} of usage, fixed by the policy`);
  sum.moveTo('margin', usage * (1 + ratio), `${marginText(ratio)}${origin}`);
}
