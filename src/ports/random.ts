/** A source of random numbers. Seeded in tests and in the embedded cluster. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}
