import { boundBySingleResource, type ChosenBound, chooseBounds, type LowerBound } from '../../core/packing/choose-bound.ts';
import type { PackingProblem } from '../../core/packing/packing-problem.ts';
import type { LpSolver } from '../../ports/lp-solver.ts';

export interface BoundSolverDependencies {
  readonly solver: LpSolver;
  /** Called where the solver fails: the best bound so far is valid. */
  readonly onError: (error: Error) => void;
}

/** Solves the bounds of a problem beside other work, from the weakest to the tightest, until it is stopped. */
export class BoundSolver {
  readonly #dependencies: BoundSolverDependencies;
  readonly #stopped = new AbortController();
  #best: LowerBound;
  /** The first bound of the solver, or one without it. Its prices are those of the search: they must not depend on the machine's speed. */
  readonly first: Promise<LowerBound>;
  /** Resolves when every bound is solved, or when it is stopped. */
  readonly done: Promise<void>;

  constructor(problem: PackingProblem, dependencies: BoundSolverDependencies) {
    this.#dependencies = dependencies;
    this.#best = boundBySingleResource(problem);
    const [first, ...others] = chooseBounds(problem);
    this.first = this.#solve(first).then(() => this.#best);
    this.done = this.first.then(async () => {
      for (const bound of others) await this.#solve(bound);
    });
  }

  /** The tightest bound so far. */
  get best(): LowerBound {
    return this.#best;
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #solve(bound: ChosenBound | undefined): Promise<void> {
    const { signal } = this.#stopped;
    if (bound === undefined || signal.aborted) return;
    try {
      const solution = await this.#dependencies.solver.solve(bound.program, signal);
      if (solution === null) return;
      const read = bound.read(solution);
      if (read.usdPerHour >= this.#best.usdPerHour) this.#best = read;
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#dependencies.onError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
