// What a backtest compares, by name, and one workload taken through all of it.

import { type EvenkeelSetting, evenkeelPolicy } from './evenkeel-policy.ts';
import { clairvoyantRequests, krrPolicy, vpaPolicy } from './peer-policies.ts';
import { replay } from './replay.ts';
import { type Score, score } from './score.ts';
import { type Resource, SLOTS_PER_DAY, type Trace } from './time-grid.ts';

export const METHODS = ['evenkeel', 'vpa', 'krr', 'clairvoyantDay', 'clairvoyantDayP99', 'clairvoyantHour'] as const;
export type Method = (typeof METHODS)[number];

/** As the tables print them. */
export const METHOD_TITLES: Readonly<Record<Method, string>> = {
  evenkeel: 'Evenkeel',
  vpa: 'VPA + updater',
  krr: 'KRR simple, daily',
  clairvoyantDay: 'clairvoyant, day max',
  clairvoyantDayP99: 'clairvoyant, day p99',
  clairvoyantHour: 'clairvoyant, hour max',
};

/** One resource of one workload: what each method came to, and the requests of those that are shown. */
export interface ResourceResult {
  /** Null where nothing can be scored: nothing is known after the warm-up. */
  readonly scores: Readonly<Record<Method, Score>> | null;
  readonly requests: Readonly<Record<'evenkeel' | 'vpa', Float64Array>>;
}

/** Null where the resource was not recorded. */
export function backtestResource(trace: Trace, resource: Resource, setting: EvenkeelSetting, warmUpDays: number): ResourceResult | null {
  const values = trace[resource];
  if (values === null) return null;
  const { firstSlot } = trace;
  const from = Math.ceil(warmUpDays * SLOTS_PER_DAY);
  const clairvoyant = (every: 'hour' | 'day', percentile: number) =>
    clairvoyantRequests(values, firstSlot, resource, { every, percentile });
  const requests: Record<Method, Float64Array> = {
    evenkeel: replay(values, firstSlot, evenkeelPolicy(resource, setting)),
    vpa: replay(values, firstSlot, vpaPolicy(resource)),
    krr: replay(values, firstSlot, krrPolicy(resource)),
    clairvoyantDay: clairvoyant('day', 1),
    clairvoyantDayP99: clairvoyant('day', 0.99),
    clairvoyantHour: clairvoyant('hour', 1),
  };
  const scores: Partial<Record<Method, Score>> = {};
  for (const method of METHODS) {
    const scored = score(values, requests[method], from, resource);
    if (scored !== null) scores[method] = scored;
  }
  const isWhole = (some: typeof scores): some is Record<Method, Score> => METHODS.every((method) => some[method] !== undefined);
  return { scores: isWhole(scores) ? scores : null, requests: { evenkeel: requests.evenkeel, vpa: requests.vpa } };
}
