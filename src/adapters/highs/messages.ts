import type { LinearSolution } from '../../core/packing/linear-program.ts';

/** Answer of the solver's thread. */
export type SolverReply =
  { readonly ok: true; readonly solution: LinearSolution | null } | { readonly ok: false; readonly message: string };

/** A bound, or the end of the thread that computes bounds. */
export type PatternBoundReply = { readonly ok: true; readonly usdPerHour: number } | { readonly ok: false; readonly message: string };
