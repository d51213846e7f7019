/** Maximum of two values; NaN is ignored. */
export function maxKnown(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return b > a ? b : a;
}
