// The baselines' protocol: requests are decided at full hours from earlier samples alone, and may be lifted inside the
// hour where a policy reacts; what they left unused and what they missed is added up.

import { SLOTS_PER_HOUR } from './traces.ts';

/** A way to set requests, fed slot by slot. */
export interface RequestPolicy {
  /** One 5-minute slot is over. */
  observe(slot: number, value: number): void;
  /** The request for the hour that begins with `slot`; null while nothing can be said. */
  decide(slot: number): number | null;
  /** Usage passed the request in `slot`: the request for the rest of the hour, or null to leave it. */
  react(slot: number): number | null;
}

/** What one policy came to on one trace. */
export interface Score {
  readonly slack: number;
  readonly spare: number;
  readonly used: number;
  readonly overrun: number;
  readonly unserved: number;
  readonly episodesPerWeek: number;
  readonly changesPerDay: number;
  readonly costJ: number;
}

/** Constants of the combined cost J, by resource. */
export const COST_J = {
  cpu: { least: 25, tau: 0.95 },
  memory: { least: 250 * 1024 * 1024, tau: 0.99 },
} as const;

const CHANGE_RATIO = 0.01;

/** Runs one policy over one trace. */
export function score(
  values: Float64Array,
  warmUpDays: number,
  policy: RequestPolicy,
  cost: { readonly least: number; readonly tau: number },
): Score {
  const from = warmUpDays * 24 * SLOTS_PER_HOUR;
  let request = NaN;
  let running = false;
  const sum = { slack: 0, spare: 0, used: 0, over: 0, missed: 0, episodes: 0, changes: 0, count: 0 };
  for (let slot = 0; slot < values.length; slot++) {
    if (slot % SLOTS_PER_HOUR === 0) {
      const decided = policy.decide(slot) ?? request;
      if (slot >= from && Math.abs(decided - request) > CHANGE_RATIO * request) sum.changes += 1;
      request = decided;
    }
    const value = values[slot] ?? NaN;
    if (Number.isNaN(value)) continue;
    if (slot >= from && !Number.isNaN(request)) {
      const over = Math.max(0, value - request);
      sum.count += 1;
      sum.slack += Math.max(0, request - value) / request;
      sum.spare += Math.max(0, request - value);
      sum.used += value;
      sum.missed += over;
      if (over > 0) sum.over += 1;
      if (over > 0 && !running) sum.episodes += 1;
      running = over > 0;
    }
    policy.observe(slot, value);
    if (!(value > request)) continue;
    const lifted = policy.react(slot);
    if (lifted === null || lifted <= request) continue;
    if (slot >= from && lifted - request > CHANGE_RATIO * request) sum.changes += 1;
    request = lifted;
  }
  const price = cost.tau / (1 - cost.tau);
  return {
    slack: sum.slack / sum.count,
    spare: sum.spare,
    used: sum.used,
    overrun: sum.over / sum.count,
    unserved: sum.missed,
    episodesPerWeek: sum.episodes / (sum.count / (7 * 24 * SLOTS_PER_HOUR)),
    changesPerDay: sum.changes / (sum.count / (24 * SLOTS_PER_HOUR)),
    costJ: (sum.spare + price * sum.missed) / Math.max(sum.used, cost.least * sum.count),
  };
}

/** Several traces' scores, joined as the baselines do. */
export function joinScores(scores: readonly Score[]): Record<string, number> {
  const mean = (pick: (score: Score) => number) => scores.reduce((total, each) => total + pick(each), 0) / scores.length;
  const sum = (pick: (score: Score) => number) => scores.reduce((total, each) => total + pick(each), 0);
  const overruns = scores.map((each) => each.overrun).sort((a, b) => a - b);
  return {
    slack: mean((each) => each.slack),
    sparePerUsed: sum((each) => each.spare) / sum((each) => each.used),
    overrun: mean((each) => each.overrun),
    worstDecileOverrun: overruns[Math.round(0.9 * (overruns.length - 1))] ?? NaN,
    unserved: sum((each) => each.unserved) / sum((each) => each.used),
    episodesPerWeek: mean((each) => each.episodesPerWeek),
    changesPerDay: mean((each) => each.changesPerDay),
    costJ: mean((each) => each.costJ),
  };
}
