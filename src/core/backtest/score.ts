// Unused requests and shortfall, by the definitions of all comparisons here.

import { MiB } from '#kube/units';
import { type Resource, SLOTS_PER_DAY } from './time-grid.ts';

/** Score of one method on one trace. Spare, used and unserved are sums over slots, in the trace's unit. */
export interface Score {
  /** Scored slots: those after the warm-up with usage and request. */
  readonly slots: number;
  /** Mean of the unused share of the request. */
  readonly slack: number;
  readonly spare: number;
  readonly used: number;
  /** Share of slots with usage above the request. */
  readonly overrun: number;
  readonly unserved: number;
  /** Runs of successive overruns; for memory, potential OOM kills. */
  readonly episodes: number;
  /** Changes of the request by more than 1 %, after the first scored slot. */
  readonly changes: number;
  readonly episodesPerWeek: number;
  readonly changesPerDay: number;
  readonly costJ: number;
}

/** A score with the overrun under refused raises (90 minutes a day); NaN for clairvoyant methods. */
export interface RefusalScore extends Score {
  readonly refusedOverrun: number;
}

/** Quantile tau of the pinball loss, so that a missing unit costs tau / (1 - tau) spare ones, and the minimum usage that J is relative to. */
const COST: Readonly<Record<Resource, { readonly minUsage: number; readonly tau: number }>> = {
  cpu: { minUsage: 25, tau: 0.95 },
  memory: { minUsage: 250 * MiB, tau: 0.99 },
};

const CHANGE_RATIO = 0.01;

/** Scores requests against usage from slot index `from` on; null: no slot has both. */
export function score(values: Float64Array, requests: Float64Array, from: number, resource: Resource): Score | null {
  const sum = { slack: 0, spare: 0, used: 0, over: 0, unserved: 0, episodes: 0, changes: 0, slots: 0 };
  let before = requests[from] ?? NaN;
  let isOver = false;
  for (let index = from; index < values.length; index++) {
    const value = values[index] ?? NaN;
    const request = requests[index] ?? NaN;
    if (Math.abs(request - before) > CHANGE_RATIO * before) sum.changes += 1;
    before = request;
    if (Number.isNaN(value) || Number.isNaN(request)) continue;
    const missing = Math.max(0, value - request);
    const spare = Math.max(0, request - value);
    sum.slots += 1;
    sum.slack += request > 0 ? spare / request : 0;
    sum.spare += spare;
    sum.used += value;
    sum.unserved += missing;
    if (missing > 0) sum.over += 1;
    if (missing > 0 && !isOver) sum.episodes += 1;
    isOver = missing > 0;
  }
  if (sum.slots === 0) return null;
  const { minUsage, tau } = COST[resource];
  const days = sum.slots / SLOTS_PER_DAY;
  return {
    slots: sum.slots,
    slack: sum.slack / sum.slots,
    spare: sum.spare,
    used: sum.used,
    overrun: sum.over / sum.slots,
    unserved: sum.unserved,
    episodes: sum.episodes,
    changes: sum.changes,
    episodesPerWeek: (sum.episodes * 7) / days,
    changesPerDay: sum.changes / days,
    costJ: (sum.spare + (tau / (1 - tau)) * sum.unserved) / Math.max(sum.used, minUsage * sum.slots),
  };
}

/** Scores of a method, joined over traces. */
export interface MethodTotals {
  readonly slack: number;
  readonly sparePerUsed: number;
  readonly overrun: number;
  readonly worstDecileOverrun: number;
  readonly unserved: number;
  readonly episodesPerWeek: number;
  readonly changesPerDay: number;
  readonly costJ: number;
  /** Share of slots with usage above the request while raises are refused for 90 minutes a day; NaN for clairvoyant methods. */
  readonly refusedOverrun: number;
}

/** Joins the scores of several traces: means over workloads, with spare and unserved as shares of the total usage. */
export function joinScores(scores: readonly RefusalScore[]): MethodTotals {
  const total = (pick: (score: RefusalScore) => number) => scores.reduce((sum, each) => sum + pick(each), 0);
  const mean = (pick: (score: RefusalScore) => number) => total(pick) / scores.length;
  const used = total((each) => each.used);
  return {
    slack: mean((each) => each.slack),
    sparePerUsed: ratio(
      total((each) => each.spare),
      used,
    ),
    overrun: mean((each) => each.overrun),
    worstDecileOverrun: percentile(
      scores.map((each) => each.overrun),
      0.9,
    ),
    unserved: ratio(
      total((each) => each.unserved),
      used,
    ),
    episodesPerWeek: mean((each) => each.episodesPerWeek),
    changesPerDay: mean((each) => each.changesPerDay),
    costJ: mean((each) => each.costJ),
    refusedOverrun: mean((each) => each.refusedOverrun),
  };
}

/** NaN for a total of 0. */
function ratio(part: number, total: number): number {
  return total > 0 ? part / total : NaN;
}

/** Linear interpolation between two values (Hyndman and Fan, type 7). */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? NaN;
  const high = sorted[Math.ceil(place)] ?? NaN;
  return low + (high - low) * (place - Math.floor(place));
}
