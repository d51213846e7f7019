import type { ResourceRules } from './advice.ts';
import type { StepSum } from './step-sum.ts';

/** Margin on a fixed percentile where the rules name none: VPA's and KRR's habit. */
const FIXED_MARGIN = 0.15;

/** A policy's fixed percentile of all usage, and its margin. */
export function addFixedPercentile(
  sum: StepSum,
  model: { peak(hours: number): number; percentile(percentile: number): number },
  { percentile, margin }: ResourceRules & { readonly percentile: number },
): void {
  const usage = percentile >= 1 ? model.peak(Infinity) : model.percentile(percentile);
  const ratio = margin ?? FIXED_MARGIN;
  const note = margin === null ? ' (the default for a fixed percentile)' : '';
  sum.to('usage', usage, `p${Number((percentile * 100).toFixed(2))} of usage, fixed by the policy`);
  sum.to('margin', usage * (1 + ratio), `${Number((ratio * 100).toFixed(1))} % on top${note}`);
}
