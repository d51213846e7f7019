/**
 * Rows of numbers, each with the same columns; null is kept as NaN. Typed arrays take 8 bytes a value and are written in place: an object with such
 * values takes 24 bytes each, and one that is replaced with each sample is garbage that V8 has moved to its old space.
 */
export class NumberRows {
  readonly #width: number;
  readonly #rowsPerChunk: number;
  readonly #chunks: Float64Array[] = [];
  readonly #free: number[] = [];
  #count = 0;

  /** @param rowsPerChunk rows that are allocated at once */
  constructor(width: number, rowsPerChunk = 1_024) {
    this.#width = width;
    this.#rowsPerChunk = rowsPerChunk;
  }

  /** A new row of nulls. */
  add(): number {
    const row = this.#free.pop() ?? this.#count++;
    if (Math.floor(row / this.#rowsPerChunk) >= this.#chunks.length) this.#chunks.push(new Float64Array(this.#rowsPerChunk * this.#width));
    this.#chunkOf(row).fill(NaN, this.#startOf(row), this.#startOf(row) + this.#width);
    return row;
  }

  /** Frees a row. Its number must not be used any more: a later row may get it. */
  delete(row: number): void {
    this.#free.push(row);
  }

  get(row: number, column: number): number | null {
    const value = this.#chunkOf(row)[this.#startOf(row) + column] ?? NaN;
    return Number.isNaN(value) ? null : value;
  }

  set(row: number, column: number, value: number | null): void {
    this.#chunkOf(row)[this.#startOf(row) + column] = value ?? NaN;
  }

  #startOf(row: number): number {
    return (row % this.#rowsPerChunk) * this.#width;
  }

  #chunkOf(row: number): Float64Array {
    const chunk = this.#chunks[Math.floor(row / this.#rowsPerChunk)];
    if (chunk === undefined) throw new Error(`row ${row} of ${this.#count} does not exist`);
    return chunk;
  }
}
