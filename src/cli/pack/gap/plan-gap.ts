// Costs of a cluster without one restriction after the other: what the gap between its cost and the lower bound is made of.

import { type GapPart, type GapStep, splitGap } from '../../../core/packing/gap/split-gap.ts';
import { relaxProblem } from '../../../core/packing/packing-problem.ts';
import { PackingSearch } from '../../../core/packing/packing-search.ts';
import { SeededRandom } from '../../../runtime/random.ts';
import { SECOND_MS } from '#kube/units';
import { BoundSolver } from '../bound-solver.ts';
import type { GapVariants, PackInput } from '../input/read-input.ts';
import { EQUAL_COST, type PackingPlan, type PlanDependencies, searchUntil, SEED, verified, startPatternBound } from '../plan.ts';

/** Share of the time for each packing besides the one that is printed. */
export const VARIANT_SHARE = 0.1;
/** Each has this time at least: the thread of its bound takes a part of it to start. */
const MIN_VARIANT_MS = SECOND_MS;

export function variantCount({ running, freer }: GapVariants): number {
  return freer.length + (running === null ? 0 : 1);
}

export type GapDependencies = Omit<PlanDependencies, 'onProgress'>;

/**
 * Splits the gap between the cost of the nodes that exist and the lower bound of the freest problem.
 * @param plan of the packing that is printed
 * @throws the signal's reason where it aborts
 */
export async function planGap(
  { existing }: PackInput,
  plan: PackingPlan,
  { running, freer }: GapVariants,
  dependencies: GapDependencies,
): Promise<{ readonly boundUsdPerHour: number; readonly parts: readonly GapPart[] }> {
  const paid = existing?.usdPerHour ?? 0;
  let bound = (plan.patternBoundUsdPerHour ?? plan.bound.usdPerHour) + paid;
  const printed = plan.best === null ? null : plan.best.usdPerHour + paid;
  const steps: GapStep[] = [];
  if (running === null) steps.push({ cause: 'fragmentation', usdPerHour: printed });
  else {
    const { usdPerHour } = await packVariant(running, dependencies);
    steps.push({ cause: 'fragmentation', usdPerHour }, { cause: 'pending-pods', usdPerHour: printed });
  }
  for (const { cause, input } of freer) {
    const found = await packVariant(input, dependencies);
    steps.push({ cause, usdPerHour: found.usdPerHour });
    bound = found.boundUsdPerHour;
  }
  return { boundUsdPerHour: bound, parts: splitGap(existing?.nowUsdPerHour ?? 0, steps, bound) };
}

/** The cheapest packing found within a share of the time, and its lower bound. */
async function packVariant(
  { problem, existing }: PackInput,
  dependencies: GapDependencies,
): Promise<{ readonly usdPerHour: number | null; readonly boundUsdPerHour: number }> {
  const { seconds, nowMs, signal, onError } = dependencies;
  const relaxed = relaxProblem(problem);
  const bounds = new BoundSolver(relaxed, dependencies);
  const patterns = startPatternBound(relaxed, onError);
  const boundUsd = (): number => Math.max(bounds.best.usdPerHour, patterns?.usdPerHour ?? 0);
  try {
    const { perPod } = await bounds.first;
    signal.throwIfAborted();
    const random = new SeededRandom(SEED);
    const search = new PackingSearch(problem, { perPod, random: () => random.next() });
    await searchUntil(nowMs() + Math.max(MIN_VARIANT_MS, VARIANT_SHARE * seconds * SECOND_MS), search, dependencies, () => {
      return search.usdPerHour !== null && search.usdPerHour <= boundUsd() * (1 + EQUAL_COST);
    });
    const paid = existing?.usdPerHour ?? 0;
    const best = search.best === null ? null : verified(problem, search.best);
    return { usdPerHour: best === null ? null : best.usdPerHour + paid, boundUsdPerHour: boundUsd() + paid };
  } finally {
    bounds.stop();
    await patterns?.stop();
  }
}
