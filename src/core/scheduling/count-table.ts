import type { Journal } from './journal.ts';
import { ints, type Ints } from './shared-arrays.ts';

/** Columns of a hash table with open addressing: a count for each counter and domain. */
export interface CountColumns {
  /** Counter + 1; 0: the slot is empty. */
  counter: Ints;
  domain: Ints;
  count: Ints;
  /** One element: used slots. */
  used: Ints;
}

const FIRST_CAPACITY = 64;
/** Slots in use before the table grows. */
const MAX_LOAD = 0.5;

export function newCounts(): CountColumns {
  return { counter: ints(FIRST_CAPACITY), domain: ints(FIRST_CAPACITY), count: ints(FIRST_CAPACITY), used: ints(1) };
}

/** The count of a domain. Sparse, because most counters have pods in few of 5,000 nodes. */
export function countAt({ counter, domain, count }: CountColumns, ofCounter: number, ofDomain: number): number {
  const mask = counter.length - 1;
  for (let slot = hash(ofCounter, ofDomain) & mask; ; slot = (slot + 1) & mask) {
    const found = counter[slot] ?? 0;
    if (found === 0) return 0;
    if (found === ofCounter + 1 && domain[slot] === ofDomain) return count[slot] ?? 0;
  }
}

/** Adds to the count of a domain and returns the new count. */
export function addCount(columns: CountColumns, journal: Journal, ofCounter: number, ofDomain: number, change: number): number {
  if ((columns.used[0] ?? 0) >= columns.counter.length * MAX_LOAD) grow(columns, journal);
  const { counter, domain, count, used } = columns;
  const mask = counter.length - 1;
  let slot = hash(ofCounter, ofDomain) & mask;
  while (counter[slot] !== 0 && !(counter[slot] === ofCounter + 1 && domain[slot] === ofDomain)) slot = (slot + 1) & mask;
  if (counter[slot] === 0) {
    journal.setInt(counter, slot, ofCounter + 1);
    journal.setInt(domain, slot, ofDomain);
    journal.setInt(used, 0, (used[0] ?? 0) + 1);
  }
  const sum = (count[slot] ?? 0) + change;
  journal.setInt(count, slot, sum);
  return sum;
}

function hash(counter: number, domain: number): number {
  const mixed = Math.imul(counter + 1, 0x9e3779b1) ^ Math.imul(domain + 1, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Moves the counts to new arrays, without those that are 0. */
function grow(columns: CountColumns, journal: Journal): void {
  const before = { ...columns };
  journal.recordSwap(() => Object.assign(columns, before));
  let live = 0;
  for (const count of before.count) if (count !== 0) live++;
  let capacity = FIRST_CAPACITY;
  while (capacity * MAX_LOAD < live * 2) capacity *= 2;
  columns.counter = ints(capacity);
  columns.domain = ints(capacity);
  columns.count = ints(capacity);
  columns.used = ints(1);
  columns.used[0] = live;
  const mask = capacity - 1;
  for (const [from, count] of before.count.entries()) {
    if (count === 0) continue;
    const counter = before.counter[from] ?? 0;
    const domain = before.domain[from] ?? 0;
    let slot = hash(counter - 1, domain) & mask;
    while (columns.counter[slot] !== 0) slot = (slot + 1) & mask;
    columns.counter[slot] = counter;
    columns.domain[slot] = domain;
    columns.count[slot] = count;
  }
}
