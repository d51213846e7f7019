// The compared methods besides Evenkeel: VPA with its updater, KRR's `simple` applied daily, and clairvoyant requests.

import { krrCpu, krrMemory } from '../peers/krr.ts';
import { VpaRecommender, isUpdatedByVpa } from '../peers/vpa.ts';
import { MiB, SECOND_MS } from '#kube/units';
import type { RequestPolicy } from './replay.ts';
import { type Resource, SLOT_SECONDS, SLOTS_PER_DAY, SLOTS_PER_HOUR } from './time-grid.ts';

const SLOT_MS = SLOT_SECONDS * SECOND_MS;
const KRR_WINDOW_SLOTS = 14 * SLOTS_PER_DAY;
/** Minimum clairvoyant requests. */
const CLAIRVOYANT_FLOORS: Readonly<Record<Resource, number>> = { cpu: 10, memory: 64 * MiB };

/**
 * VPA with its updater, which acts outside the bounds, or after 12 hours with a difference of 10 %, at full hours only. A memory
 * overrun is an OOM kill, which raises the next recommendation.
 */
export function vpaPolicy(resource: Resource): RequestPolicy {
  const vpa = new VpaRecommender(resource);
  let request: number | null = null;
  let since = 0;
  let isOver = false;
  return {
    observe: (slot, value) => {
      const wasOver = isOver;
      isOver = resource === 'memory' && request !== null && value > request;
      if (isOver && !wasOver && request !== null) vpa.observeOom(slot * SLOT_MS, request);
      vpa.observe(slot * SLOT_MS, value);
    },
    decide: (slot) => {
      const recommendation = vpa.recommend();
      if (recommendation !== null && (request === null || isUpdatedByVpa(request, recommendation, (slot - since) * SLOT_MS))) {
        request = recommendation.target;
        since = slot;
      }
      return request;
    },
    react: () => null,
  };
}

/** Ratio of a raise inside the hour to the usage. */
const IN_PLACE_RATIO = 1.1;

/** VPA since 1.6, which resizes in place without eviction, so that it may raise inside the hour like Evenkeel. */
export function vpaInPlacePolicy(resource: Resource): RequestPolicy {
  const vpa = vpaPolicy(resource);
  let latest = NaN;
  return {
    observe: (slot, value) => {
      latest = value;
      vpa.observe(slot, value);
    },
    decide: (slot) => vpa.decide(slot),
    react: (_, isOver) => (isOver ? latest * IN_PLACE_RATIO : null),
  };
}

/** KRR's `simple`, applied once a day. */
export function krrPolicy(resource: Resource): RequestPolicy {
  let window: { readonly slot: number; readonly value: number }[] = [];
  let request: number | null = null;
  return {
    observe: (slot, value) => void window.push({ slot, value }),
    decide: (slot) => {
      if (request !== null && slot % SLOTS_PER_DAY !== 0) return request;
      window = window.filter((sample) => sample.slot >= slot - KRR_WINDOW_SLOTS);
      const values = window.map((sample) => sample.value);
      request = (resource === 'cpu' ? krrCpu(values) : krrMemory(values)) ?? request;
      return request;
    },
    react: () => null,
  };
}

/** Requests with knowledge of the future: an upper bound of the possible savings. */
export function clairvoyantRequests(
  values: Float64Array,
  firstSlot: number,
  resource: Resource,
  { every, percentile }: { readonly every: 'hour' | 'day'; readonly percentile: number },
): Float64Array {
  const length = every === 'hour' ? SLOTS_PER_HOUR : SLOTS_PER_DAY;
  const requests = new Float64Array(values.length);
  for (let from = 0; from < values.length;) {
    const to = Math.min(values.length, from + length - ((firstSlot + from) % length));
    const known = values.slice(from, to).filter((value) => !Number.isNaN(value));
    requests.fill(known.length === 0 ? NaN : Math.max(CLAIRVOYANT_FLOORS[resource], quantile(known.sort(), percentile)), from, to);
    from = to;
  }
  return requests;
}

function quantile(sorted: Float64Array, percentile: number): number {
  const place = percentile * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? NaN, sorted[Math.ceil(place)] ?? NaN];
  return low + (high - low) * (place - Math.floor(place));
}
