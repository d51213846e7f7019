// Typed arrays in shared memory, which a worker thread reads without a copy.

export type Ints = Int32Array<SharedArrayBuffer>;
export type Floats = Float64Array<SharedArrayBuffer>;
export type Bytes = Uint8Array<SharedArrayBuffer>;

export function ints(length: number, value = 0): Ints {
  const array = new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
  return value === 0 ? array : array.fill(value);
}

export function floats(length: number): Floats {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
}

export function bytes(length: number): Bytes {
  return new Uint8Array(new SharedArrayBuffer(length));
}

/** An element; 0 past the end. One function for each type of array, so that the engine compiles each for its elements. */
export function intAt(array: Int32Array, index: number): number {
  return array[index] ?? 0;
}

export function floatAt(array: Float64Array, index: number): number {
  return array[index] ?? 0;
}

export function byteAt(array: Uint8Array, index: number): number {
  return array[index] ?? 0;
}

/** The array itself if it has `length` elements, else a copy with at least twice as many as before. New elements have `value`. */
export function grownInts(array: Ints, length: number, value = 0): Ints {
  if (array.length >= length) return array;
  const grown = ints(Math.max(length, array.length * 2), value);
  grown.set(array);
  return grown;
}

export function grownFloats(array: Floats, length: number): Floats {
  if (array.length >= length) return array;
  const grown = floats(Math.max(length, array.length * 2));
  grown.set(array);
  return grown;
}

export function grownBytes(array: Bytes, length: number): Bytes {
  if (array.length >= length) return array;
  const grown = bytes(Math.max(length, array.length * 2));
  grown.set(array);
  return grown;
}

/** Lists of integers by id, in one pool. */
export interface Lists {
  start: Ints;
  length: Ints;
  pool: Ints;
  /** Used elements of the pool. */
  used: number;
}

export function newLists(): Lists {
  return { start: ints(16), length: ints(16), pool: ints(64), used: 0 };
}

/** Replaces the list of an id. A longer list moves to the end of the pool, and its old place stays unused. */
export function setList(lists: Lists, id: number, items: readonly number[]): void {
  lists.start = grownInts(lists.start, id + 1);
  lists.length = grownInts(lists.length, id + 1);
  if (items.length > (lists.length[id] ?? 0)) {
    lists.pool = grownInts(lists.pool, lists.used + items.length);
    lists.start[id] = lists.used;
    lists.used += items.length;
  }
  lists.length[id] = items.length;
  lists.pool.set(items, lists.start[id] ?? 0);
}

/** A deep copy in which every typed array has memory of its own. */
export function copyArrays<T>(value: T): T {
  if (value instanceof Int32Array) return copyOf(value as Ints, ints(value.length)) as T;
  if (value instanceof Float64Array) return copyOf(value as Floats, floats(value.length)) as T;
  if (value instanceof Uint8Array) return copyOf(value as Bytes, bytes(value.length)) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => copyArrays(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]: [string, unknown]) => [key, copyArrays(item)])) as T;
}

function copyOf<A extends Ints | Floats | Bytes>(from: A, to: A): A {
  to.set(from);
  return to;
}

/** Bytes of all typed arrays in a value. */
export function countBytes(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, item: unknown) => sum + countBytes(item), 0);
}
