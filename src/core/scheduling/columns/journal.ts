import type { Bytes, Floats, Ints } from './shared-arrays.ts';

/** A point of time to which a journal can return. */
export interface Mark {
  readonly depth: number;
  readonly integers: number;
  readonly floats: number;
  readonly swaps: number;
}

/**
 * Undo log of writes to typed arrays. Only writes after a mark are recorded. Marks nest: each is rolled back before those that were
 * set earlier.
 */
export class Journal {
  #depth = 0;
  readonly #intArrays: (Ints | Bytes)[] = [];
  readonly #intIndices: number[] = [];
  readonly #intValues: number[] = [];
  readonly #floatArrays: Floats[] = [];
  readonly #floatIndices: number[] = [];
  readonly #floatValues: number[] = [];
  /** Replacements of whole arrays, with the number of integer writes before each. */
  readonly #swaps: { readonly at: number; readonly restore: () => void }[] = [];

  /** Whether writes are recorded. */
  get isMarked(): boolean {
    return this.#depth > 0;
  }

  mark(): Mark {
    this.#depth++;
    return { depth: this.#depth, integers: this.#intValues.length, floats: this.#floatValues.length, swaps: this.#swaps.length };
  }

  setInt(array: Ints | Bytes, index: number, value: number): void {
    if (this.#depth > 0) {
      this.#intArrays.push(array);
      this.#intIndices.push(index);
      this.#intValues.push(array[index] ?? 0);
    }
    array[index] = value;
  }

  setFloat(array: Floats, index: number, value: number): void {
    if (this.#depth > 0) {
      this.#floatArrays.push(array);
      this.#floatIndices.push(index);
      this.#floatValues.push(array[index] ?? 0);
    }
    array[index] = value;
  }

  /** Records that arrays were replaced. @param restore puts the previous ones back */
  recordSwap(restore: () => void): void {
    if (this.#depth > 0) this.#swaps.push({ at: this.#intValues.length, restore });
  }

  /** Undoes every write since the mark. @throws Error if a later mark has not been rolled back */
  rollback(mark: Mark): void {
    if (mark.depth !== this.#depth) throw new Error(`rolling back mark ${mark.depth}: mark ${this.#depth} is the last one`);
    while (this.#swaps.length > mark.swaps) {
      const swap = this.#swaps.pop();
      this.#undoInts(swap?.at ?? 0);
      swap?.restore();
    }
    this.#undoInts(mark.integers);
    for (let entry = this.#floatValues.length - 1; entry >= mark.floats; entry--) {
      const array = this.#floatArrays[entry];
      if (array !== undefined) array[this.#floatIndices[entry] ?? 0] = this.#floatValues[entry] ?? 0;
    }
    this.#floatArrays.length = mark.floats;
    this.#floatIndices.length = mark.floats;
    this.#floatValues.length = mark.floats;
    this.#depth--;
  }

  #undoInts(until: number): void {
    for (let entry = this.#intValues.length - 1; entry >= until; entry--) {
      const array = this.#intArrays[entry];
      if (array !== undefined) array[this.#intIndices[entry] ?? 0] = this.#intValues[entry] ?? 0;
    }
    this.#intArrays.length = until;
    this.#intIndices.length = until;
    this.#intValues.length = until;
  }
}
