// Exact parsing of Kubernetes quantities (`250m`, `1.5Gi`, `2e3`), equal to that of Kubernetes: integers of billionths, rounded away
// from zero, with binary quantities capped at 2^63−1.

/** Suffix family of a quantity, which its canonical form keeps. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent';

/** An exact amount. */
export interface Quantity {
  /** Billionths of the unit. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

/** Billionths of a unit. */
export const NANO = 1_000_000_000n;
/** Cap of binary quantities; Kubernetes does not cap decimal ones. */
const MAX_BINARY = (2n ** 63n - 1n) * NANO;
/** Largest exact integer of a `number`, about 8 PiB as bytes. Larger amounts are capped. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
/** Maximum length: arithmetic on a megabyte of digits would take seconds. */
const MAX_TEXT = 128;
/** Maximum exponent, which bounds the arithmetic on malicious input. */
const MAX_EXPONENT = 600;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const SHAPE = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:([eE][+-]?[0-9]+)|([KMGTPE]i|[numkMGTPE]))?$/;

/** Parses any quantity, including negative ones and YAML numbers; null: invalid. */
export function readQuantity(text: string | number): Quantity | null {
  const written = String(text);
  const match = written.length > MAX_TEXT ? null : SHAPE.exec(written);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = match[4] ?? '', , exponent, suffix = ''] = match;
  const digits = BigInt(`${whole}${fraction}` || '0');
  const unit = unitOf(exponent, suffix);
  const shift = 9 + unit.tens - fraction.length;
  const scaled = digits * 2n ** BigInt(unit.twos);
  const amount = shift >= 0 ? scaled * 10n ** BigInt(shift) : dividedUp(scaled, 10n ** BigInt(-shift));
  const cut = unit.format === 'binary' && amount > MAX_BINARY ? MAX_BINARY : amount;
  return { nano: sign === '-' ? -cut : cut, format: unit.format };
}

/** Whole units, rounded up like in Kubernetes, at most 2^53−1. */
export function wholeUnits({ nano }: Quantity, nanoPerUnit: bigint): number {
  const units = dividedUp(nano, nanoPerUnit);
  return units > MAX_EXACT ? Number.MAX_SAFE_INTEGER : Number(units);
}

/**
 * Fast path for digits with a suffix; null: another form. Almost all quantities of a cluster are like `250m` or `128Mi`, and a
 * large cluster decodes a million of them.
 */
export function readPlainNumber(text: string | number, suffix: string): number | null {
  if (typeof text !== 'string' || !text.endsWith(suffix) || text.length - suffix.length > 12) return null;
  const end = text.length - suffix.length;
  let value = 0;
  for (let index = 0; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return end === 0 ? null : value;
}

/** Unit as powers of ten and of two. */
function unitOf(
  exponent: string | undefined,
  suffix: string,
): { readonly tens: number; readonly twos: number; readonly format: QuantityFormat } {
  if (exponent !== undefined) return { tens: clamped(Number(exponent.slice(1))), twos: 0, format: 'exponent' };
  const twos = BINARY_EXPONENTS[suffix];
  if (twos !== undefined) return { tens: 0, twos, format: 'binary' };
  return { tens: DECIMAL_EXPONENTS[suffix] ?? 0, twos: 0, format: 'decimal' };
}

function dividedUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

function clamped(exponent: number): number {
  return Math.max(-MAX_EXPONENT - MAX_TEXT, Math.min(MAX_EXPONENT, exponent));
}
