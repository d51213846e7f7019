// Resource lists as numbers, summed and compared like in kube-scheduler.

import type { AmountRules } from './pod-spec/pod-sum.ts';
import { readPlainNumber, readQuantity, wholeUnits } from './read-quantity.ts';
import type { Wire } from './wire.ts';

/** Amounts by resource name: `cpu` in millicores, `memory` in bytes, everything else in its own unit. */
export type Amounts = ReadonlyMap<string, number>;
/** Amounts that may be changed in place. */
export type Sums = Map<string, number>;

const NANO_PER_MILLICORE = 1_000_000n;
const NANO_PER_THOUSANDTH = 1_000_000n;

/** Arithmetic of `PodSum` on amounts. */
export const SUM_RULES: AmountRules<Sums, Amounts> = { zero: () => new Map(), add: addAmounts, raise: raiseAmounts };

/** Parses a resource list; an invalid quantity counts as 0. @param isCounted filters resources; absent: all */
export function readAmounts(list: Wire, isCounted?: (resource: string) => boolean): Sums {
  const sums: Sums = new Map();
  for (const resource in list) if (isCounted === undefined || isCounted(resource)) sums.set(resource, amountOf(resource, list[resource]));
  return sums;
}

/** Parses a resource list, rounded up like the scheduler's view of a node. */
export function readWholeAmounts(list: Wire): Amounts {
  return roundUp(readAmounts(list));
}

// Exact to a thousandth, because sums are rounded up at the end, not each part.
function amountOf(resource: string, given: unknown): number {
  if (typeof given !== 'string' && typeof given !== 'number') return 0;
  const plain = resource === 'cpu' ? readPlainNumber(given, 'm') : null;
  if (plain !== null) return plain;
  const quantity = readQuantity(given);
  if (quantity === null) return 0;
  if (resource === 'cpu') return quantity.nano < 0n ? 0 : wholeUnits(quantity, NANO_PER_MILLICORE);
  return Number((quantity.nano + NANO_PER_THOUSANDTH - 1n) / NANO_PER_THOUSANDTH) / 1000;
}

/** Rounds up in place. */
export function roundUp(sums: Sums): Amounts {
  for (const [resource, amount] of sums) if (!Number.isInteger(amount)) sums.set(resource, Math.ceil(Math.round(amount * 1000) / 1000));
  return sums;
}

/** Adds in place. */
export function addAmounts(into: Sums, more: Amounts): Sums {
  for (const [resource, amount] of more) into.set(resource, (into.get(resource) ?? 0) + amount);
  return into;
}

/** Maximum of each resource, in place. */
export function raiseAmounts(into: Sums, more: Amounts): Sums {
  for (const [resource, amount] of more) if (amount > (into.get(resource) ?? -1)) into.set(resource, amount);
  return into;
}
