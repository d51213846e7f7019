// Plans a packing within a time: the peers and the lower bound first, the search until the time is over.

import { setImmediate } from 'node:timers/promises';
import { boundBySingleResource, chooseBounds, type LowerBound } from '../../core/packing/choose-bound.ts';
import { type Packing, packingCost } from '../../core/packing/packing.ts';
import type { PackingProblem } from '../../core/packing/packing-problem.ts';
import { PackingSearch } from '../../core/packing/packing-search.ts';
import { verifyPacking } from '../../core/packing/verify-packing.ts';
import { firstFitDecreasing } from '../../core/peers/first-fit-decreasing.ts';
import { karpenterLike } from '../../core/peers/karpenter-like.ts';
import { leastWaste } from '../../core/peers/least-waste.ts';
import type { LpSolver } from '../../ports/lp-solver.ts';
import { SeededRandom } from '../../runtime/random.ts';
import { SECOND_MS } from '#kube/units';

/** A packing with its cost, which `verifyPacking` has confirmed. */
export interface PricedPacking {
  readonly packing: Packing;
  readonly usdPerHour: number;
}

export const PEERS = {
  'first-fit-decreasing': firstFitDecreasing,
  'Karpenter-like': karpenterLike,
  'least-waste': leastWaste,
} as const;
export type Peer = keyof typeof PEERS;

export interface PackingPlan {
  /** Null: no packing was found within the `max` of the machine types. */
  readonly best: PricedPacking | null;
  readonly peers: ReadonlyMap<Peer, PricedPacking | null>;
  readonly bound: LowerBound;
  readonly seed: number;
  /** Steps of the search: with the same input, seed and steps it ends with the same packing. */
  readonly steps: number;
}

export interface PlanDependencies {
  readonly seconds: number;
  readonly solver: LpSolver;
  readonly signal: AbortSignal;
  /** Monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  readonly onProgress: (progress: PlanProgress) => void;
}

export interface PlanProgress {
  readonly elapsedMs: number;
  /** Dollars an hour of the best packing so far. */
  readonly usdPerHour: number | null;
  readonly boundUsdPerHour: number;
}

const SEED = 1;
/** Share of the time that the search has, also where the solver took longer than the rest. */
const MIN_SEARCH_SHARE = 0.25;
/** The solver is stopped with the start of the search's share, but not before: on a busy machine it takes seconds to start. */
const MIN_SOLVER_MS = 5 * SECOND_MS;
/** Milliseconds of search between two looks at the clock and at signals. */
const SLICE_MS = 50;
/** Relative difference of a cost from the bound at which both are equal: the bound is proven within rounding. */
const EQUAL_COST = 1e-6;
const FIRST_SLICE_STEPS = 1_000;

/** @throws the signal's reason where it aborts */
export async function planPacking(problem: PackingProblem, dependencies: PlanDependencies): Promise<PackingPlan> {
  const { seconds, signal, nowMs } = dependencies;
  const startedMs = nowMs();
  const solved = solveBound(problem, dependencies);
  const peers = new Map<Peer, PricedPacking | null>();
  for (const peer of Object.keys(PEERS) as Peer[]) {
    const packing = PEERS[peer](problem);
    peers.set(peer, packing === null ? null : verified(problem, packing));
    await setImmediate();
    signal.throwIfAborted();
  }
  const bound = await solved;
  const random = new SeededRandom(SEED);
  const search = new PackingSearch(problem, {
    perPod: bound.perPod,
    starts: [...peers.values()].flatMap((peer) => peer?.packing ?? []),
    random: () => random.next(),
  });
  const endMs = Math.max(startedMs + seconds * SECOND_MS, nowMs() + MIN_SEARCH_SHARE * seconds * SECOND_MS);
  await searchUntil(endMs, search, dependencies, () => {
    const { usdPerHour } = search;
    dependencies.onProgress({ elapsedMs: nowMs() - startedMs, usdPerHour, boundUsdPerHour: bound.usdPerHour });
    return usdPerHour !== null && usdPerHour <= bound.usdPerHour * (1 + EQUAL_COST);
  });
  const { best, steps } = search;
  return { best: best === null ? null : verified(problem, best), peers, bound, seed: SEED, steps };
}

/** @param isOptimal asked after each slice; ends the search */
async function searchUntil(
  endMs: number,
  search: PackingSearch,
  { nowMs, signal }: PlanDependencies,
  isOptimal: () => boolean,
): Promise<void> {
  let slice = FIRST_SLICE_STEPS;
  for (let beganMs = nowMs(); beganMs < endMs; beganMs = nowMs()) {
    search.run(slice);
    const tookMs = nowMs() - beganMs;
    // Steps of a slice change no result: they may follow the machine's speed.
    slice = Math.max(1, Math.round(slice * Math.min(2, SLICE_MS / Math.max(tookMs, 1))));
    if (isOptimal()) return;
    await setImmediate();
    signal.throwIfAborted();
  }
}

/** The tightest bound that the solver finishes in time; by a single resource where it finishes none. */
async function solveBound(problem: PackingProblem, { seconds, solver, signal }: PlanDependencies): Promise<LowerBound> {
  const limitMs = Math.max(MIN_SOLVER_MS, (1 - MIN_SEARCH_SHARE) * seconds * SECOND_MS);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  let best = boundBySingleResource(problem);
  try {
    for (const { program, read } of chooseBounds(problem)) {
      const solution = await solver.solve(program, limit);
      const bound = solution === null ? best : read(solution);
      if (bound.usdPerHour >= best.usdPerHour) best = bound;
    }
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return best;
}

/** @throws Error where the packing breaks a rule of the problem: a fault of this program */
function verified(problem: PackingProblem, packing: Packing): PricedPacking {
  const usdPerHour = packingCost(problem, packing);
  const violations = verifyPacking(problem, packing, usdPerHour);
  if (violations.length > 0) {
    const messages = violations.slice(0, 3).map(({ message }) => message);
    throw new Error(`the packing is wrong, and nothing was written: ${messages.join('; ')}`);
  }
  return { packing, usdPerHour };
}
