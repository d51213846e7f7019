import type { Usd } from '#kube/units';

/** Rounds to the cent. Shown sums are of rounded parts, so that they equal the shown total. */
export function toCents(amount: Usd): Usd {
  // The correction rounds 1.005, whose binary form is below it, to 1.01; −0 becomes 0.
  return Math.round((amount + Math.sign(amount) * 1e-9) * 100) / 100 + 0;
}

/** Rounds to the cent; null stays null. */
export function centsOrNull(amount: Usd | null): Usd | null {
  return amount === null ? null : toCents(amount);
}

/** Sum of amounts in whole cents, without floating-point error. */
export function sumCents(amounts: Iterable<Usd>): Usd {
  let cents = 0;
  for (const amount of amounts) cents += Math.round(amount * 100);
  return cents / 100;
}

/**
 * Rounds parts to the cent so that they add up to the rounded total; the largest part takes the remainder.
 * @param parts amounts whose exact sum is `total`
 */
export function roundParts(parts: readonly Usd[], total: Usd): readonly Usd[] {
  const rounded = parts.map(toCents);
  const remainder = Math.round(toCents(total) * 100) - Math.round(sumCents(rounded) * 100);
  if (remainder === 0 || rounded.length === 0) return rounded;
  const largest = rounded.reduce((best, part, index) => (Math.abs(part) > Math.abs(rounded[best] ?? 0) ? index : best), 0);
  return rounded.map((part, index) => (index === largest ? (Math.round(part * 100) + remainder) / 100 : part));
}
