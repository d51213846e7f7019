// A packing as `evenkeel pack` begins it: prices from the program over resources, then a fixed number of steps.

import { chooseBounds } from '../../../src/core/packing/choose-bound.ts';
import type { Packing } from '../../../src/core/packing/packing.ts';
import type { PackingProblem } from '../../../src/core/packing/packing-problem.ts';
import { PackingSearch } from '../../../src/core/packing/packing-search.ts';
import type { LpSolver } from '../../../src/ports/lp-solver.ts';
import { SeededRandom } from '../../../src/runtime/random.ts';

interface Effort {
  readonly solver: LpSolver;
  /** 0: the first packing alone. */
  readonly stepsPerPod: number;
  readonly seed: number;
}

/** @throws Error where there is no packing within `maxNodes` */
export async function packBriefly(problem: PackingProblem, { solver, stepsPerPod, seed }: Effort): Promise<Packing> {
  const [byResources] = chooseBounds(problem);
  const solution = byResources === undefined ? null : await solver.solve(byResources.program, new AbortController().signal);
  if (byResources === undefined || solution === null) throw new Error('the program over resources has no solution');
  const random = new SeededRandom(seed);
  const search = new PackingSearch(problem, { perPod: byResources.read(solution).perPod, random: () => random.next() });
  search.run(stepsPerPod * problem.podCounts.reduce((sum, count) => sum + count, 0));
  if (search.best === null) throw new Error('no packing was found');
  return search.best;
}

export function nodeCount({ nodes }: Packing): number {
  return nodes.reduce((sum, { copies }) => sum + copies, 0);
}
