/** Minimize `costs · x` subject to `rowLower ≤ A x ≤ rowUpper` and `x ≥ 0`. `A` is sparse, by column. */
export interface LinearProgram {
  readonly costs: Float64Array;
  readonly rowLower: Float64Array;
  readonly rowUpper: Float64Array;
  /** Index of the first entry of each column; one more than there are columns. */
  readonly starts: Int32Array;
  /** Row of each entry. */
  readonly rows: Int32Array;
  readonly values: Float64Array;
}

/** An optimal solution. */
export interface LinearSolution {
  readonly columnValues: Float64Array;
  /** Change of the objective per unit of each row's bound. */
  readonly rowDuals: Float64Array;
}

/** Collects a program column by column. */
export class LinearProgramBuilder {
  readonly #costs: number[] = [];
  readonly #rowLower: number[] = [];
  readonly #rowUpper: number[] = [];
  readonly #starts: number[] = [];
  readonly #rows: number[] = [];
  readonly #values: number[] = [];

  /** Returns the row's index. */
  addRow(lower: number, upper: number): number {
    this.#rowLower.push(lower);
    return this.#rowUpper.push(upper) - 1;
  }

  /** Returns the column's index. Rows without a coefficient are given as such, with value 0 left out. */
  addColumn(cost: number, entries: readonly (readonly [row: number, value: number])[]): number {
    this.#starts.push(this.#rows.length);
    for (const [row, value] of entries) {
      if (value === 0) continue;
      this.#rows.push(row);
      this.#values.push(value);
    }
    return this.#costs.push(cost) - 1;
  }

  build(): LinearProgram {
    return {
      costs: Float64Array.from(this.#costs),
      rowLower: Float64Array.from(this.#rowLower),
      rowUpper: Float64Array.from(this.#rowUpper),
      starts: Int32Array.from([...this.#starts, this.#rows.length]),
      rows: Int32Array.from(this.#rows),
      values: Float64Array.from(this.#values),
    };
  }
}
