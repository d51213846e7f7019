import type { LinearProgram, LinearSolution } from '../core/packing/linear-program.ts';

/** Solves linear programs outside the main thread. */
export interface LpSolver {
  /**
   * Resolves with an optimal solution; null where the program has none. Rejects when the solver fails, and with the signal's reason when it
   * aborts, at once.
   */
  solve(program: LinearProgram, signal: AbortSignal): Promise<LinearSolution | null>;
}
