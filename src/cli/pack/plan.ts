// Plans a packing within a time: the search until the time is over, beside it lower bounds and the other methods.

import { setImmediate } from 'node:timers/promises';
import type { LowerBound } from '../../core/packing/choose-bound.ts';
import { type Packing, packingCost } from '../../core/packing/packing.ts';
import { type PackingProblem, relaxProblem } from '../../core/packing/packing-problem.ts';
import { PackingSearch } from '../../core/packing/packing-search.ts';
import { verifyPacking } from '../../core/packing/verify-packing.ts';
import { PatternBoundThread } from '../../adapters/highs/pattern-bound-thread.ts';
import type { LpSolver } from '../../ports/lp-solver.ts';
import { SeededRandom } from '../../runtime/random.ts';
import { SECOND_MS } from '#kube/units';
import { BoundSolver } from './bound-solver.ts';
import { type Peer, PEER_NAMES, PeerThread } from './peers.ts';

/** A packing with its cost, which `verifyPacking` has confirmed. */
export interface PricedPacking {
  readonly packing: Packing;
  readonly usdPerHour: number;
}

/** What another method found: null is nothing within the `max` of the machine types, `unfinished` nothing in time. */
export type PeerResult = PricedPacking | null | 'unfinished';

export interface PackingPlan {
  /** Null: no packing was found within the `max` of the machine types. */
  readonly best: PricedPacking | null;
  readonly peers: ReadonlyMap<Peer, PeerResult>;
  readonly bound: LowerBound;
  /** A tighter bound, over patterns; null: none was found in time. */
  readonly patternBoundUsdPerHour: number | null;
  readonly seed: number;
  /** What a pod of each class of the problem for bounds is worth, as the search took it. */
  readonly prices: Float64Array;
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
  /** Called where a part fails without which there is a result. */
  readonly onError: (error: Error) => void;
}

export interface PlanProgress {
  readonly elapsedMs: number;
  /** Dollars an hour of the best packing so far. */
  readonly usdPerHour: number | null;
  readonly boundUsdPerHour: number;
}

export const SEED = 1;
/** With more classes the bound over patterns does not end in minutes. */
const MAX_PATTERN_CLASSES = 500;
/** Share of the time that the search has, also where its prices took longer than the rest. */
const MIN_SEARCH_SHARE = 0.25;
/** Threads have this time at least: on a busy machine they take seconds to start. */
const MIN_THREAD_MS = 5 * SECOND_MS;
/** Milliseconds of search between two looks at the clock and at signals. */
const SLICE_MS = 50;
/** Relative difference of a cost from the bound at which both are equal: the bound is proven within rounding. */
export const EQUAL_COST = 1e-6;
const FIRST_SLICE_STEPS = 1_000;

/** What is packed, and what its lower bounds are computed from. */
export interface PlannedProblem {
  readonly problem: PackingProblem;
  /** The pods with less rules, and its classes of which each class of the problem is the sum; absent: the same classes. */
  readonly relaxed?: { readonly problem: PackingProblem; readonly classesOf: readonly (readonly number[])[] };
  /** A packing to begin with; null or absent: none is known. */
  readonly start?: Packing | null;
}

/** @throws the signal's reason where it aborts */
export async function planPacking(planned: PlannedProblem, dependencies: PlanDependencies): Promise<PackingPlan> {
  const { onError } = dependencies;
  const { problem } = planned;
  const relaxed = planned.relaxed?.problem ?? relaxProblem(problem);
  const bounds = new BoundSolver(relaxed, dependencies);
  const peers = new PeerThread(problem, onError);
  const patternBound = startPatternBound(relaxed, onError);
  try {
    return await plan(planned, { bounds, peers, patternBound }, dependencies);
  } finally {
    bounds.stop();
    await Promise.all([peers.stop(), patternBound?.stop()]);
  }
}

/** Computes the bound over patterns beside other work; null: the problem has too many classes. */
export function startPatternBound(relaxed: PackingProblem, onError: (error: Error) => void): PatternBoundThread | null {
  return relaxed.classCount > MAX_PATTERN_CLASSES ? null : new PatternBoundThread(relaxed, onError);
}

/** What is computed beside the search. */
interface Threads {
  readonly bounds: BoundSolver;
  readonly peers: PeerThread;
  readonly patternBound: PatternBoundThread | null;
}

async function plan(
  { problem, relaxed, start = null }: PlannedProblem,
  { bounds, peers, patternBound }: Threads,
  dependencies: PlanDependencies,
): Promise<PackingPlan> {
  const { seconds, signal, nowMs } = dependencies;
  const startedMs = nowMs();
  const { perPod: prices } = await bounds.first;
  signal.throwIfAborted();
  const perPod = relaxed === undefined ? prices : summedPrices(prices, relaxed.classesOf);
  const random = new SeededRandom(SEED);
  const search = new PackingSearch(problem, { perPod, random: () => random.next(), start });
  const endMs = Math.max(startedMs + seconds * SECOND_MS, nowMs() + MIN_SEARCH_SHARE * seconds * SECOND_MS);
  await searchUntil(endMs, search, dependencies, () => {
    const { usdPerHour } = search;
    const boundUsdPerHour = Math.max(bounds.best.usdPerHour, patternBound?.usdPerHour ?? 0);
    dependencies.onProgress({ elapsedMs: nowMs() - startedMs, usdPerHour, boundUsdPerHour });
    return usdPerHour !== null && usdPerHour <= boundUsdPerHour * (1 + EQUAL_COST);
  });
  const waitMs = Math.max(endMs, startedMs + MIN_THREAD_MS) - nowMs();
  await settledWithin(Math.max(0, waitMs), [peers.done, bounds.done], signal);
  signal.throwIfAborted();
  const results = new Map(PEER_NAMES.map((peer) => [peer, resultOf(problem, peers.answers.get(peer))]));
  const found = search.best === null ? null : verified(problem, search.best);
  const all = [found, ...results.values()].filter((each) => each !== null && each !== 'unfinished');
  // The search is seldom beaten; where it is, the better packing counts.
  const best = all.reduce<PricedPacking | null>(
    (least, each) => (least === null || each.usdPerHour < least.usdPerHour ? each : least),
    null,
  );
  const bound = bounds.best;
  const tighter = patternBound?.usdPerHour ?? 0;
  const patternBoundUsdPerHour = tighter > bound.usdPerHour ? tighter : null;
  return { best, peers: results, bound, patternBoundUsdPerHour, seed: SEED, prices, steps: search.steps };
}

/** A packing of other demands of the same pods, by the same rule. @param seconds of the search */
export async function searchPacking(
  problem: PackingProblem,
  perPod: Float64Array,
  dependencies: Pick<PlanDependencies, 'seconds' | 'signal' | 'nowMs'>,
): Promise<(PricedPacking & { readonly steps: number }) | null> {
  const random = new SeededRandom(SEED);
  const search = new PackingSearch(problem, { perPod, random: () => random.next() });
  await searchUntil(dependencies.nowMs() + dependencies.seconds * SECOND_MS, search, dependencies, () => false);
  return search.best === null ? null : { ...verified(problem, search.best), steps: search.steps };
}

/** What a pod of each class is worth: the sum of those that it is made of. */
export function summedPrices(prices: Float64Array, classesOf: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(classesOf, (classes) => classes.reduce((sum, each) => sum + (prices[each] ?? 0), 0));
}

/** Waits until all are settled, at most for a time or until the signal aborts. */
async function settledWithin(ms: number, promises: readonly Promise<unknown>[], signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(ms))]);
  const { promise, resolve } = Promise.withResolvers<null>();
  const stop = (): void => resolve(null);
  limit.addEventListener('abort', stop, { once: true });
  if (limit.aborted) stop();
  await Promise.race([promise, Promise.allSettled(promises)]);
  limit.removeEventListener('abort', stop);
}

function resultOf(problem: PackingProblem, packing: Packing | null | undefined): PeerResult {
  if (packing === undefined) return 'unfinished';
  return packing === null ? null : verified(problem, packing);
}

/** @param isOptimal asked after each slice; ends the search */
export async function searchUntil(
  endMs: number,
  search: PackingSearch,
  { nowMs, signal }: Pick<PlanDependencies, 'nowMs' | 'signal'>,
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

/** @throws Error where the packing breaks a rule of the problem: a fault of this program */
export function verified(problem: PackingProblem, packing: Packing): PricedPacking {
  const usdPerHour = packingCost(problem, packing);
  const violations = verifyPacking(problem, packing, usdPerHour);
  if (violations.length > 0) {
    const messages = violations.slice(0, 3).map(({ message }) => message);
    throw new Error(`the packing is wrong, and nothing was written: ${messages.join('; ')}`);
  }
  return { packing, usdPerHour };
}
