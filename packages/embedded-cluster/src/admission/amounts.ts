// Exact amounts of resources, because a quota decides on a single byte.

import type { Quantity } from '#kube/read-quantity';
import { formatQuantity, parseQuantity } from '#kube/quantity';
import type { ResourceList } from '../controllers/wire/pod.ts';

/** Parsed quantity; undefined when it is absent or invalid, which the schema reports with its own message. */
export function amountOf(list: ResourceList | undefined, resource: string): Quantity | undefined {
  const text = list?.[resource];
  return text === undefined ? undefined : readAmount(text);
}

export function readAmount(text: string | number): Quantity | undefined {
  const quantity = parseQuantity(text);
  return quantity.ok ? quantity.value : undefined;
}

export function isSameAmount(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a === b || readAmount(a)?.nano === readAmount(b)?.nano;
}

/** The sum, in the notation of its first part. */
export function addAmounts(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

export function greaterAmount(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.nano >= b.nano ? a : b;
}

export function wholeAmount(count: number): Quantity {
  return { nano: BigInt(count) * 1_000_000_000n, format: 'decimal' };
}

export function writeAmount(amount: Quantity | undefined): string {
  return amount === undefined ? '0' : formatQuantity(amount);
}
