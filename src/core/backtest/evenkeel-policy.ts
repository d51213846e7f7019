// Evenkeel's recommender as the controller runs it: hour by hour, with its temporary increases inside the hour. The target as
// advised; what a PodResizePolicy may hold back (cool-down, tolerance, confidence, canary) is in gated-policy.ts.

import { DEFAULT_RECOMMENDER_RULES, type ContainerAdvice, type Goal, type Pace, type RecommenderRules } from '../recommender/advice.ts';
import { ContainerModel } from '../recommender/container-model.ts';
import { RAISE_AHEAD_SLOTS } from '../recommender/recommender-rules.ts';
import { SECOND_MS, type Instant } from '#kube/units';
import type { RequestPolicy } from './replay.ts';
import { type Resource, SLOT_SECONDS, SLOTS_PER_HOUR } from './time-grid.ts';

const SLOT_MS = SLOT_SECONDS * SECOND_MS;
/** Some time after the end of a slot: its samples are all in. */
const AFTER_MS = 31 * SECOND_MS;
/** Recordings that count from their own beginning are moved here: a week's begin, for the model takes 0 for no time at all. */
const EPOCH_SLOTS = 2645 * 7 * 288;
/** Slots before this are no time since 1970 but a count from a recording's begin. */
const FIRST_CALENDAR_SLOT = 8 * 365 * 288;

export interface EvenkeelSetting {
  readonly goal: Goal;
  readonly pace: Pace;
}

/** The recommender's rules at a setting, all else as a policy has it by default. */
export function rulesOf({ goal, pace }: EvenkeelSetting): RecommenderRules {
  const base = DEFAULT_RECOMMENDER_RULES;
  return { ...base, pace, cpu: { ...base.cpu, goal }, memory: { ...base.memory, goal } };
}

/** @param onAdvice is called with each advice, and the slot from which on it holds */
export function evenkeelPolicy(
  resource: Resource,
  setting: EvenkeelSetting,
  onAdvice: (slot: number, advice: ContainerAdvice, at: Instant) => void = () => undefined,
): RequestPolicy {
  const model = new ContainerModel();
  const rules = rulesOf(setting);
  const endOf = (slot: number) => (slot < FIRST_CALENDAR_SLOT ? slot + EPOCH_SLOTS + 1 : slot + 1) * SLOT_MS;
  const adviseAfter = (slot: number) => {
    const all = model.advise('c', endOf(slot) + AFTER_MS, rules);
    const advice = all?.[resource] ?? null;
    isIncreased = advice !== null && advice.increase !== null;
    if (all !== null && advice !== null) onAdvice(slot + 1, all, endOf(slot));
    return advice?.target ?? null;
  };
  let isIncreased = false;
  const isBeforeNextHour = (slot: number) => setting.pace === 'Hourly' && slot % SLOTS_PER_HOUR === SLOTS_PER_HOUR - RAISE_AHEAD_SLOTS;
  return {
    observe: (slot, value) => {
      model.observe('p', {
        at: endOf(slot),
        cpuMillicores: resource === 'cpu' ? value : null,
        memoryBytes: resource === 'memory' ? value : null,
      });
    },
    decide: (slot) => adviseAfter(slot - 1),
    // Inside the hour the advice moves only when usage passes it, when an increase ends, and when the raises of the next hour begin.
    react: (slot, isOver) => (isOver || isIncreased || isBeforeNextHour(slot + 1) ? adviseAfter(slot) : null),
  };
}
