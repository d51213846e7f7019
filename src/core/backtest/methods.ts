// The methods that a backtest compares, and their replay on one workload.

import { type EvenkeelSetting, evenkeelPolicy } from './evenkeel-policy.ts';
import { type AdviceFrom, computeGatedRequests } from './gated-requests.ts';
import { clairvoyantRequests, krrPolicy, vpaInPlacePolicy, vpaPolicy } from './peer-policies.ts';
import { findRefusedSlots, applyRefusals } from './refused-raises.ts';
import { replay } from './replay.ts';
import { type RefusalScore, score } from './score.ts';
import { type Resource, SLOTS_PER_DAY, type Trace } from './time-grid.ts';

/** Names of the compared methods. */
export const METHODS = [
  'evenkeel',
  'evenkeelGated',
  'vpa',
  'vpaInPlace',
  'krr',
  'clairvoyantDay',
  'clairvoyantDayP99',
  'clairvoyantHour',
] as const;
/** One of `METHODS`. */
export type Method = (typeof METHODS)[number];

/** Titles in tables. */
export const METHOD_TITLES: Readonly<Record<Method, string>> = {
  evenkeel: 'Evenkeel',
  evenkeelGated: 'Evenkeel with its gates',
  vpa: 'VPA + updater',
  vpaInPlace: 'VPA in place',
  krr: 'KRR simple, daily',
  clairvoyantDay: 'clairvoyant, day max',
  clairvoyantDayP99: 'clairvoyant, day p99',
  clairvoyantHour: 'clairvoyant, hour max',
};

/** Result for one resource of one workload: the score of each method, and the requests of those that are plotted. */
export interface ResourceResult {
  /** Null: there is no usage after the warm-up. */
  readonly scores: Readonly<Record<Method, RefusalScore>> | null;
  readonly requests: Readonly<Record<'evenkeel' | 'vpa', Float64Array>>;
}

/** Replays all methods; null: the resource was not recorded. */
export function backtestResource(trace: Trace, resource: Resource, setting: EvenkeelSetting, warmUpDays: number): ResourceResult | null {
  const values = trace[resource];
  if (values === null) return null;
  const { firstSlot } = trace;
  const from = Math.ceil(warmUpDays * SLOTS_PER_DAY);
  const clairvoyant = (every: 'hour' | 'day', percentile: number) =>
    clairvoyantRequests(values, firstSlot, resource, { every, percentile });
  const advices: AdviceFrom[] = [];
  const evenkeel = replay(
    values,
    firstSlot,
    evenkeelPolicy(resource, setting, (slot, advice, at) => void advices.push({ slot, advice, at })),
  );
  const requests: Record<Method, Float64Array> = {
    evenkeel,
    evenkeelGated: computeGatedRequests(values.length, firstSlot, advices, { resource, goal: setting.goal }),
    vpa: replay(values, firstSlot, vpaPolicy(resource)),
    vpaInPlace: replay(values, firstSlot, vpaInPlacePolicy(resource)),
    krr: replay(values, firstSlot, krrPolicy(resource)),
    clairvoyantDay: clairvoyant('day', 1),
    clairvoyantDayP99: clairvoyant('day', 0.99),
    clairvoyantHour: clairvoyant('hour', 1),
  };
  const isRefused = findRefusedSlots(values, firstSlot);
  const refused: Partial<Record<Method, Float64Array>> = {
    evenkeel: applyRefusals(requests.evenkeel, firstSlot, isRefused),
    evenkeelGated: applyRefusals(requests.evenkeelGated, firstSlot, isRefused),
    vpa: applyRefusals(requests.vpa, firstSlot, isRefused),
    // Its raises depend on earlier refusals.
    vpaInPlace: replay(values, firstSlot, vpaInPlacePolicy(resource), isRefused),
    krr: applyRefusals(requests.krr, firstSlot, isRefused),
  };
  const scores: Partial<Record<Method, RefusalScore>> = {};
  for (const method of METHODS) {
    const scored = score(values, requests[method], from, resource);
    const underRefusal = refused[method];
    const refusedOverrun = underRefusal === undefined ? NaN : (score(values, underRefusal, from, resource)?.overrun ?? NaN);
    if (scored !== null) scores[method] = { ...scored, refusedOverrun };
  }
  const isComplete = (some: typeof scores): some is Record<Method, RefusalScore> => METHODS.every((method) => some[method] !== undefined);
  return { scores: isComplete(scores) ? scores : null, requests: { evenkeel: requests.evenkeel, vpa: requests.vpa } };
}
