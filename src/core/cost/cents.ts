import type { Usd } from '#kube/units';

/** To the cent. Sums are made of rounded parts, so that what is shown adds up to the total that is shown. */
export function toCents(amount: Usd): Usd {
  // The correction keeps 1.005 from falling to 1.00 by its binary form; −0 becomes 0.
  return Math.round((amount + Math.sign(amount) * 1e-9) * 100) / 100 + 0;
}

export function centsOrNull(amount: Usd | null): Usd | null {
  return amount === null ? null : toCents(amount);
}

/** Sum of amounts that are whole cents, without the drift of binary fractions. */
export function sumCents(amounts: Iterable<Usd>): Usd {
  let cents = 0;
  for (const amount of amounts) cents += Math.round(amount * 100);
  return cents / 100;
}

/**
 * Rounds parts to the cent so that they add up to the rounded total: the largest takes the remainder.
 * @param parts amounts whose exact sum is `total`
 */
export function roundParts(parts: readonly Usd[], total: Usd): readonly Usd[] {
  const rounded = parts.map(toCents);
  const rest = Math.round(toCents(total) * 100) - Math.round(sumCents(rounded) * 100);
  if (rest === 0 || rounded.length === 0) return rounded;
  const largest = rounded.reduce((best, part, index) => (Math.abs(part) > Math.abs(rounded[best] ?? 0) ? index : best), 0);
  return rounded.map((part, index) => (index === largest ? (Math.round(part * 100) + rest) / 100 : part));
}
