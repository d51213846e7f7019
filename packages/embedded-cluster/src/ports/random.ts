/** Uniform in [0, 1). Seeded in tests and in the embedded cluster. */
export interface Random {
  next(): number;
}
