// The ways to set requests that the bench compares.

import { ContainerModel } from '../../src/core/rightsizing/container-model.ts';
import { DEFAULT_RECOMMENDER_RULES } from '../../src/core/rightsizing/advice.ts';
import type { Goal, RecommenderRules } from '../../src/core/rightsizing/advice.ts';
import { krrCpu, krrMemory } from '../../src/core/peers/krr.ts';
import { VpaRecommender, vpaUpdaterActs } from '../../src/core/peers/vpa.ts';
import { SLOT_SECONDS, SLOTS_PER_HOUR } from './traces.ts';
import type { RequestPolicy } from './scoring.ts';

const SLOT_MS = SLOT_SECONDS * 1000;
/** Some time after the end of a slot: its samples are all in. */
const AFTER_MS = 31_000;
const KRR_WINDOW_SLOTS = 14 * 24 * SLOTS_PER_HOUR;
/** Traces begin at slot 0; the model takes 0 for no time at all. */
const EPOCH_MS = 1_600_000_000_000 - (1_600_000_000_000 % 604_800_000);

/** Our recommender's target as it is, hour by hour, with its reaction inside the hour. */
export function evenkeelPolicy(resource: 'cpu' | 'memory', goal: Goal): RequestPolicy {
  const model = new ContainerModel();
  const base = DEFAULT_RECOMMENDER_RULES;
  const rules: RecommenderRules = { ...base, cpu: { ...base.cpu, goal }, memory: { ...base.memory, goal } };
  const target = (now: number) => model.advise('c', now, rules)?.[resource]?.target ?? null;
  return {
    observe: (slot, value) => {
      model.observe('p', {
        at: EPOCH_MS + (slot + 1) * SLOT_MS,
        cpuMillicores: resource === 'cpu' ? value : null,
        memoryBytes: resource === 'memory' ? value : null,
      });
    },
    decide: (slot) => target(EPOCH_MS + slot * SLOT_MS + AFTER_MS),
    react: (slot) => ((slot + 1) % SLOTS_PER_HOUR === 0 ? null : target(EPOCH_MS + (slot + 1) * SLOT_MS + AFTER_MS)),
  };
}

/** VPA with its updater: acts outside the bounds, or after 12 hours when 10 % off. Never inside the hour. */
export function vpaPolicy(resource: 'cpu' | 'memory'): RequestPolicy {
  const vpa = new VpaRecommender(resource);
  let request: number | null = null;
  let since = 0;
  return {
    observe: (slot, value) => vpa.observe(slot * SLOT_MS, value),
    decide: (slot) => {
      const recommendation = vpa.recommend();
      if (recommendation !== null && (request === null || vpaUpdaterActs(request, recommendation, (slot - since) * SLOT_MS))) {
        request = recommendation.target;
        since = slot;
      }
      return request;
    },
    react: () => null,
  };
}

/** KRR's `simple`, applied once a day. */
export function krrPolicy(resource: 'cpu' | 'memory'): RequestPolicy {
  const samples: number[] = [];
  let request: number | null = null;
  return {
    observe: (_, value) => {
      samples.push(value);
      if (samples.length > KRR_WINDOW_SLOTS) samples.shift();
    },
    decide: (slot) => {
      if (request === null || slot % (24 * SLOTS_PER_HOUR) === 0) request = resource === 'cpu' ? krrCpu(samples) : krrMemory(samples);
      return request;
    },
    react: () => null,
  };
}
