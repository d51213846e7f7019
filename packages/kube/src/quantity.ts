// Kubernetes quantities (`250m`, `1.5Gi`, `2e3`): CPU, memory and counts, refusals in words, and how they are written.

import { NANO, readPlainNumber, readQuantity, wholeUnits, type Quantity } from './read-quantity.ts';
import { parsed, refused, type Parsed, type ParseError } from './parsed.ts';
import type { ResourceName } from './records/resources.ts';
import type { Bytes, Millicores } from './units.ts';

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
/** Position of the unit itself among the decimal suffixes. */
const ONES = 3;
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

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

/** Reads any quantity, negative ones included. Numbers, as YAML may hold them, are read as they print. */
export function parseQuantity(text: string | number): Parsed<Quantity> {
  const quantity = readQuantity(text);
  return quantity === null ? refusedQuantity(String(text)) : parsed(quantity);
}

/** CPU in whole millicores, rounded up as Kubernetes rounds, at most 2^53−1. Negative amounts are refused. */
export function parseCpuMillicores(text: string | number): Parsed<Millicores> {
  const plain = readPlainNumber(text, 'm');
  if (plain !== null) return parsed(plain);
  return parseWholeUnits(text, 1_000_000n, 'CPU');
}

/** Memory or storage in whole bytes, rounded up as Kubernetes rounds, at most 2^53−1. Negative amounts are refused. */
export function parseMemoryBytes(text: string | number): Parsed<Bytes> {
  const mebibytes = readPlainNumber(text, 'Mi');
  if (mebibytes !== null && mebibytes < 2 ** 32) return parsed(mebibytes * 2 ** 20);
  return parseWholeUnits(text, NANO, 'memory');
}

/** A whole number of objects, such as the pods of a node, rounded up, at most 2^53−1. Negative amounts are refused. */
export function parseCount(text: string | number): Parsed<number> {
  return parseWholeUnits(text, NANO, 'a count');
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

function parseWholeUnits(text: string | number, nanoPerUnit: bigint, what: string): Parsed<number> {
  const quantity = parseQuantity(text);
  if (!quantity.ok) return quantity;
  if (quantity.value.nano < 0n) return refused(`'${String(text)}' is negative; ${what} must be 0 or greater`);
  return parsed(wholeUnits(quantity.value, nanoPerUnit));
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

function refusedQuantity(text: string): ParseError {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return refused(
    `'${shown}' is not a quantity; write a number with an optional suffix: m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent such as 2e3`,
  );
}
