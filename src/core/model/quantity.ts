// Kubernetes quantities (`250m`, `1.5Gi`, `2e3`), read exactly as Kubernetes reads them: as billionths in whole numbers,
// what is finer rounded away from zero, binary ones greater than 2^63−1 cut there.

import { parsed, refused, type Parsed, type ParseError } from './parsed.ts';
import type { ResourceName } from './resources.ts';
import type { Bytes, Millicores } from './units.ts';

/** Which family of suffixes a quantity was written in; its canonical form keeps it. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent';

/** An exact amount. */
export interface Quantity {
  /** Billionths of the unit. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
/** Kubernetes cuts binary quantities alone; decimal ones may be as great as they are written. */
const GREATEST_BINARY = (2n ** 63n - 1n) * NANO;
/** Greatest whole number that a `number` has exactly: some 8 PiB, which no machine has. Greater amounts are cut here. */
const GREATEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
/** Nobody writes longer ones, and arithmetic on a megabyte of digits would take seconds. */
const LONGEST_TEXT = 128;
/** No cluster has a fraction of it, and it keeps arithmetic on hostile exponents short. */
const GREATEST_EXPONENT = 600;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
/** Where the unit itself stands among the decimal suffixes. */
const ONES = 3;
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

const SHAPE = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:([eE][+-]?[0-9]+)|([KMGTPE]i|[numkMGTPE]))?$/;

/** Reads any quantity, negative ones included. Numbers, as YAML may hold them, are read as they print. */
export function parseQuantity(text: string | number): Parsed<Quantity> {
  const written = String(text);
  const match = written.length > LONGEST_TEXT ? null : SHAPE.exec(written);
  if (match === null) return refusedQuantity(written);
  const [, sign = '', whole = '', fraction = match[4] ?? '', , exponent, suffix = ''] = match;
  const digits = BigInt(`${whole}${fraction}` || '0');
  const unit = unitOf(exponent, suffix);
  const shift = 9 + unit.tens - fraction.length;
  const scaled = digits * 2n ** BigInt(unit.twos);
  const amount = shift >= 0 ? scaled * 10n ** BigInt(shift) : dividedUp(scaled, 10n ** BigInt(-shift));
  const cut = unit.format === 'binary' && amount > GREATEST_BINARY ? GREATEST_BINARY : amount;
  return parsed({ nano: sign === '-' ? -cut : cut, format: unit.format });
}

/** The unit as powers of ten and of two. */
function unitOf(
  exponent: string | undefined,
  suffix: string,
): { readonly tens: number; readonly twos: number; readonly format: QuantityFormat } {
  if (exponent !== undefined) return { tens: clamped(Number(exponent.slice(1))), twos: 0, format: 'exponent' };
  const twos = BINARY_EXPONENTS[suffix];
  if (twos !== undefined) return { tens: 0, twos, format: 'binary' };
  return { tens: DECIMAL_EXPONENTS[suffix] ?? 0, twos: 0, format: 'decimal' };
}

/** The one way to write an amount, exact: whole digits, the greatest suffix that leaves them whole, the family kept where it can say it. */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity;
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  if (size === 0n) return '0';
  // Small amounts and fractions of a unit have no binary form: Kubernetes writes them in decimal.
  if (format === 'binary' && size >= 1024n * NANO && size % NANO === 0n) return sign + binaryText(size / NANO);
  let thousands = 0;
  let rest = size;
  while (rest % 1000n === 0n) {
    rest /= 1000n;
    thousands += 1;
  }
  const suffix = format === 'exponent' && thousands !== ONES ? undefined : DECIMAL_SUFFIXES[thousands];
  // Past `E` there is no suffix.
  return `${sign}${rest}${suffix ?? `e${(thousands - ONES) * 3}`}`;
}

/** CPU in whole millicores, rounded up as Kubernetes rounds, at most 2^53−1. Negative amounts are refused. */
export function parseCpuMillicores(text: string | number): Parsed<Millicores> {
  const plain = plainNumber(text, 'm');
  if (plain !== null) return parsed(plain);
  return wholeUnits(text, 1_000_000n, 'CPU');
}

/** Memory or storage in whole bytes, rounded up as Kubernetes rounds, at most 2^53−1. Negative amounts are refused. */
export function parseMemoryBytes(text: string | number): Parsed<Bytes> {
  const mebibytes = plainNumber(text, 'Mi');
  if (mebibytes !== null && mebibytes < 2 ** 32) return parsed(mebibytes * 2 ** 20);
  return wholeUnits(text, NANO, 'memory');
}

/** A whole number of objects, such as the pods of a node, rounded up, at most 2^53−1. Negative amounts are refused. */
export function parseCount(text: string | number): Parsed<number> {
  return wholeUnits(text, NANO, 'a count');
}

/** `250m`, `2`. @param millicores a whole number, 0 or greater */
export function formatCpu(millicores: Millicores): string {
  return millicores % 1000 === 0 ? String(millicores / 1000) : `${millicores}m`;
}

/** `128Mi`, `1536Mi`, `1000`: the greatest binary suffix that is exact. @param bytes a whole number, 0 or greater */
export function formatMemory(bytes: Bytes): string {
  if (bytes === 0) return '0';
  let rest: number = bytes;
  let suffix = 0;
  while (rest % 1024 === 0 && suffix < BINARY_SUFFIXES.length - 1) {
    rest /= 1024;
    suffix += 1;
  }
  return `${rest}${BINARY_SUFFIXES[suffix] ?? ''}`;
}

/** In millicores or bytes; null where it cannot be read. */
export function parseAmount(resource: ResourceName, text: string): number | null {
  const amount = resource === 'cpu' ? parseCpuMillicores(text) : parseMemoryBytes(text);
  return amount.ok ? amount.value : null;
}

/** @param amount millicores or bytes */
export function formatAmount(resource: ResourceName, amount: number): string {
  return resource === 'cpu' ? formatCpu(Math.round(amount)) : formatMemory(Math.round(amount));
}

function wholeUnits(text: string | number, nanoPerUnit: bigint, what: string): Parsed<number> {
  const quantity = parseQuantity(text);
  if (!quantity.ok) return quantity;
  if (quantity.value.nano < 0n) return refused(`'${String(text)}' is negative; ${what} must be 0 or greater`);
  const units = dividedUp(quantity.value.nano, nanoPerUnit);
  return parsed(units > GREATEST_EXACT ? Number.MAX_SAFE_INTEGER : Number(units));
}

// Nearly every quantity of a cluster has one of two forms, and a large cluster decodes a million of them.
function plainNumber(text: string | number, suffix: string): number | null {
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

function binaryText(units: bigint): string {
  let rest = units;
  let suffix = 0;
  while (rest % 1024n === 0n && suffix < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    suffix += 1;
  }
  return `${rest}${BINARY_SUFFIXES[suffix] ?? ''}`;
}

function dividedUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

function clamped(exponent: number): number {
  return Math.max(-GREATEST_EXPONENT - LONGEST_TEXT, Math.min(GREATEST_EXPONENT, exponent));
}

function refusedQuantity(text: string): ParseError {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return refused(
    `'${shown}' is not a quantity; write a number with an optional suffix: m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent such as 2e3`,
  );
}
