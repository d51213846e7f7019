// Parsing and formatting of Kubernetes quantities (`250m`, `1.5Gi`, `2e3`) as CPU, memory and counts.

import { NANO, readPlainNumber, readQuantity, wholeUnits, type Quantity } from './read-quantity.ts';
import { parsed, refused, type Parsed, type ParseError } from './parsed.ts';
import type { ResourceName } from './records/resources.ts';
import type { Bytes, Millicores } from './units.ts';

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
/** Index of the empty suffix. */
const ONES = 3;
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** Canonical form of a quantity: an integer with the largest exact suffix of its format. */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity;
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  if (size === 0n) return '0';
  // Kubernetes formats amounts below 1024 and fractions in decimal.
  if (format === 'binary' && size >= 1024n * NANO && size % NANO === 0n) return sign + binaryText(size / NANO);
  let thousands = 0;
  let rest = size;
  while (rest % 1000n === 0n) {
    rest /= 1000n;
    thousands += 1;
  }
  const suffix = format === 'exponent' && thousands !== ONES ? undefined : DECIMAL_SUFFIXES[thousands];
  // Above `E` there is no suffix.
  return `${sign}${rest}${suffix ?? `e${(thousands - ONES) * 3}`}`;
}

/** Parses any quantity, including negative ones and YAML numbers. */
export function parseQuantity(text: string | number): Parsed<Quantity> {
  const quantity = readQuantity(text);
  return quantity === null ? refusedQuantity(String(text)) : parsed(quantity);
}

/** Parses CPU to millicores, rounded up like in Kubernetes, at most 2^53−1. Negative amounts are refused. */
export function parseCpuMillicores(text: string | number): Parsed<Millicores> {
  const plain = readPlainNumber(text, 'm');
  if (plain !== null) return parsed(plain);
  return parseWholeUnits(text, 1_000_000n, 'CPU');
}

/** Parses memory or storage to bytes, rounded up like in Kubernetes, at most 2^53−1. Negative amounts are refused. */
export function parseMemoryBytes(text: string | number): Parsed<Bytes> {
  const mebibytes = readPlainNumber(text, 'Mi');
  if (mebibytes !== null && mebibytes < 2 ** 32) return parsed(mebibytes * 2 ** 20);
  return parseWholeUnits(text, NANO, 'memory');
}

/** Parses a count of objects, such as the pods of a node, rounded up, at most 2^53−1. Negative amounts are refused. */
export function parseCount(text: string | number): Parsed<number> {
  return parseWholeUnits(text, NANO, 'a count');
}

/** Formats CPU: `250m`, `2`. @param millicores a whole number, 0 or greater */
export function formatCpu(millicores: Millicores): string {
  return millicores % 1000 === 0 ? String(millicores / 1000) : `${millicores}m`;
}

/** Formats memory with the largest exact binary suffix: `128Mi`, `1536Mi`, `1000`. @param bytes a whole number, 0 or greater */
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

/** Parses an amount to millicores or bytes; null: invalid. */
export function parseAmount(resource: ResourceName, text: string): number | null {
  const amount = resource === 'cpu' ? parseCpuMillicores(text) : parseMemoryBytes(text);
  return amount.ok ? amount.value : null;
}

/** Formats an amount. @param amount millicores or bytes, rounded */
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
