import { parsed, refused, type Parsed } from '#kube/parsed';
import type { Ratio } from '#kube/units';

/** Kubernetes' IntOrString as a count or a percentage of a total. */
export type CountOrPercent = { readonly kind: 'count'; readonly count: number } | { readonly kind: 'percent'; readonly ratio: Ratio };

/** Parses `3` or `"10%"`: at least 1, at most 100 %. */
export function parseCountOrPercent(value: number | string): Parsed<CountOrPercent> {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return parsed({ kind: 'count', count: value });
  const [, percent] = /^(100|[1-9][0-9]?)%$/.exec(String(value)) ?? [];
  if (percent !== undefined) return parsed({ kind: 'percent', ratio: Number(percent) / 100 });
  return refused(`'${value}' is neither a count nor a percentage; write a whole number of at least 1, or a percentage such as 10%`);
}

/** The inverse of `parseCountOrPercent`: `3` or `10%`. */
export function formatCountOrPercent(value: CountOrPercent): string {
  return value.kind === 'count' ? String(value.count) : `${Math.round(value.ratio * 100)}%`;
}

/** The count, or the percentage of the total, rounded up. @param minimum of a percentage */
export function resolveCount(value: CountOrPercent, total: number, minimum: number): number {
  // Integer arithmetic: with the binary fraction of 0.07, 7 % of 100 would be 8.
  return value.kind === 'count' ? value.count : Math.max(minimum, Math.ceil((Math.round(value.ratio * 100) * total) / 100));
}
