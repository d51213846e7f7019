// Our recommender as the controller runs it: hour by hour, with its reaction inside the hour. The target as advised;
// what a PodResizePolicy may hold back (windows, cool-downs, budgets) is not part of it.

import { DEFAULT_RECOMMENDER_RULES, type Goal, type RecommenderRules } from '../rightsizing/advice.ts';
import { ContainerModel } from '../rightsizing/container-model.ts';
import { SECOND_MS } from '../model/units.ts';
import type { RequestPolicy } from './replay.ts';
import { type Resource, SLOT_SECONDS } from './time-grid.ts';

const SLOT_MS = SLOT_SECONDS * SECOND_MS;
/** Some time after the end of a slot: its samples are all in. */
const AFTER_MS = 31 * SECOND_MS;
/** Recordings that count from their own beginning are moved here: a week's begin, for the model takes 0 for no time at all. */
const EPOCH_SLOTS = 2645 * 7 * 288;
/** Slots before this are no time since 1970 but a count from a recording's begin. */
const FIRST_CALENDAR_SLOT = 8 * 365 * 288;

export interface EvenkeelSetting {
  readonly goal: Goal;
  /** Few changes, each made to last: for where a change is dear. */
  readonly calm: boolean;
}

/** The recommender's rules at a setting, all else as a policy has it by default. */
export function rulesOf({ goal, calm }: EvenkeelSetting): RecommenderRules {
  const base = DEFAULT_RECOMMENDER_RULES;
  return { ...base, calm, cpu: { ...base.cpu, goal }, memory: { ...base.memory, goal } };
}

export function evenkeelPolicy(resource: Resource, setting: EvenkeelSetting): RequestPolicy {
  const model = new ContainerModel();
  const rules = rulesOf(setting);
  const endOf = (slot: number) => (slot < FIRST_CALENDAR_SLOT ? slot + EPOCH_SLOTS + 1 : slot + 1) * SLOT_MS;
  const targetAfter = (slot: number) => model.advise('c', endOf(slot) + AFTER_MS, rules)?.[resource]?.target ?? null;
  return {
    observe: (slot, value) => {
      model.observe('p', {
        at: endOf(slot),
        cpuMillicores: resource === 'cpu' ? value : null,
        memoryBytes: resource === 'memory' ? value : null,
      });
    },
    decide: (slot) => targetAfter(slot - 1),
    react: targetAfter,
  };
}
