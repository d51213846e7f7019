// What requests left unused and what they missed, by the definitions that every comparison here uses.

import { MiB } from '#kube/units';
import { type Resource, SLOTS_PER_DAY } from './time-grid.ts';

/** What one way to set requests came to on one trace. Spare, used and unserved are sums over slots, in the trace's unit. */
export interface Score {
  /** Slots that were scored: usage and request both known, after the warm-up. */
  readonly slots: number;
  /** Mean of the unused share of the request. */
  readonly slack: number;
  readonly spare: number;
  readonly used: number;
  /** Share of slots with usage above the request. */
  readonly overrun: number;
  readonly unserved: number;
  /** Overruns that stand apart; of memory, would-be OOM kills. */
  readonly episodes: number;
  /** Moves of the request by more than 1 %, after the first slot that is scored. */
  readonly changes: number;
  readonly episodesPerWeek: number;
  readonly changesPerDay: number;
  readonly costJ: number;
}

/** With what becomes of the overrun where raises are refused for 90 minutes a day; NaN for methods that know the future. */
export interface RefusalScore extends Score {
  readonly refusedOverrun: number;
}

/** What a missing unit costs against a spare one (tau / (1 - tau)), and the least usage that J is divided by. */
const COST: Readonly<Record<Resource, { readonly least: number; readonly tau: number }>> = {
  cpu: { least: 25, tau: 0.95 },
  memory: { least: 250 * MiB, tau: 0.99 },
};

const CHANGE_RATIO = 0.01;

/** Scores requests against usage, slot by slot, from slot index `from` on; null where nothing can be scored. */
export function score(values: Float64Array, requests: Float64Array, from: number, resource: Resource): Score | null {
  const sum = { slack: 0, spare: 0, used: 0, over: 0, unserved: 0, episodes: 0, changes: 0, slots: 0 };
  let before = requests[from] ?? NaN;
  let running = false;
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
    if (missing > 0 && !running) sum.episodes += 1;
    running = missing > 0;
  }
  if (sum.slots === 0) return null;
  const { least, tau } = COST[resource];
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
    costJ: (sum.spare + (tau / (1 - tau)) * sum.unserved) / Math.max(sum.used, least * sum.slots),
  };
}

/** The figures of one trace, or of many joined. */
export interface MethodTotals {
  readonly slack: number;
  readonly sparePerUsed: number;
  readonly overrun: number;
  readonly worstDecileOverrun: number;
  readonly unserved: number;
  readonly episodesPerWeek: number;
  readonly changesPerDay: number;
  readonly costJ: number;
  /** Share of slots with usage above the request where raises are refused for 90 minutes a day; NaN where the method knows the future. */
  readonly refusedOverrun: number;
}

/** Several traces' scores, joined: means over workloads, but spare and unserved as shares of all that was used. */
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

/** Nothing used at all: there is no share of it. */
function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : NaN;
}

/** Between two values the share between them, as statistics packages do by default. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? NaN;
  const high = sorted[Math.ceil(place)] ?? NaN;
  return low + (high - low) * (place - Math.floor(place));
}
