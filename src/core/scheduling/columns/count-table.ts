import type { Journal } from './journal.ts';
import { intAt, ints, type Ints } from './shared-arrays.ts';

/**
 * Columns of a hash table with open addressing: a count for each counter and domain. Sparse, because most counters have pods in few of
 * 5,000 nodes.
 */
export interface CountColumns {
  /** Three elements a slot, beside each other because they are read together: counter + 1, or 0 if it is empty; domain; count. */
  slots: Ints;
  /** One element: used slots. */
  used: Ints;
}

const WIDTH = 3;
const FIRST_CAPACITY = 64;
/** Slots in use before the table grows. */
const MAX_LOAD = 0.5;

export function newCounts(): CountColumns {
  return { slots: ints(FIRST_CAPACITY * WIDTH), used: ints(1) };
}

/** The count of a domain. */
export function countAt({ slots }: CountColumns, counter: number, domain: number): number {
  return intAt(slots, findSlot(slots, counter, domain) + 2);
}

/** Adds to the count of a domain and returns the new count. */
export function addCount(columns: CountColumns, journal: Journal, counter: number, domain: number, change: number): number {
  if (intAt(columns.used, 0) * WIDTH >= columns.slots.length * MAX_LOAD) grow(columns, journal);
  const { slots, used } = columns;
  const slot = findSlot(slots, counter, domain);
  if (slots[slot] === 0) {
    journal.setInt(slots, slot, counter + 1);
    journal.setInt(slots, slot + 1, domain);
    journal.setInt(used, 0, intAt(used, 0) + 1);
  }
  const sum = intAt(slots, slot + 2) + change;
  journal.setInt(slots, slot + 2, sum);
  return sum;
}

/** First element of the slot of a counter and domain, or of the empty one where it belongs. */
function findSlot(slots: Ints, counter: number, domain: number): number {
  // A capacity is a power of two.
  const mask = slots.length / WIDTH - 1;
  const mixed = Math.imul(counter + 1, 0x9e3779b1) ^ Math.imul(domain + 1, 0x85ebca6b);
  for (let at = (mixed ^ (mixed >>> 15)) & mask; ; at = (at + 1) & mask) {
    const slot = at * WIDTH;
    const found = intAt(slots, slot);
    if (found === 0 || (found === counter + 1 && slots[slot + 1] === domain)) return slot;
  }
}

/** Moves the counts to new arrays, without those that are 0. */
function grow(columns: CountColumns, journal: Journal): void {
  const before = { ...columns };
  journal.recordSwap(() => Object.assign(columns, before));
  let live = 0;
  for (let slot = 0; slot < before.slots.length; slot += WIDTH) if (before.slots[slot + 2] !== 0) live++;
  let capacity = FIRST_CAPACITY;
  while (capacity * MAX_LOAD < live * 2) capacity *= 2;
  columns.slots = ints(capacity * WIDTH);
  columns.used = ints(1);
  columns.used[0] = live;
  for (let from = 0; from < before.slots.length; from += WIDTH) {
    if (before.slots[from + 2] === 0) continue;
    const slot = findSlot(columns.slots, intAt(before.slots, from) - 1, intAt(before.slots, from + 1));
    columns.slots.set(before.slots.subarray(from, from + WIDTH), slot);
  }
}
