// Evenkeel's recommender as in the controller: hourly decisions, with temporary increases inside the hour. It requests the target;
// the tolerance, cool-down, confidence and canary of a PodResizePolicy are in gated-requests.ts.

import { DEFAULT_RECOMMENDER_RULES, type ContainerAdvice, type Goal, type Pace, type RecommenderRules } from '../recommender/advice.ts';
import { ContainerModel } from '../recommender/container-model.ts';
import { RAISE_AHEAD_SLOTS } from '../recommender/recommender-rules.ts';
import { SECOND_MS, type Instant } from '#kube/units';
import type { RequestPolicy } from './replay.ts';
import { type Resource, SLOT_SECONDS, SLOTS_PER_HOUR } from './time-grid.ts';

const SLOT_MS = SLOT_SECONDS * SECOND_MS;
/** Delay after the end of a slot until all its samples have arrived. */
const AFTER_MS = 31 * SECOND_MS;
/** Offset for recordings whose times start at 0, because 0 is no valid time for the model; a multiple of a week. */
const EPOCH_SLOTS = 2645 * 7 * 288;
/** Earlier slots are relative to the start of the recording, not to 1970. */
const FIRST_CALENDAR_SLOT = 8 * 365 * 288;

/** Goal and pace of a replay. */
export interface EvenkeelSetting {
  readonly goal: Goal;
  readonly pace: Pace;
}

/** Rules of a policy that sets goal and pace only. */
export function rulesOf({ goal, pace }: EvenkeelSetting): RecommenderRules {
  const base = DEFAULT_RECOMMENDER_RULES;
  return { ...base, pace, cpu: { ...base.cpu, goal }, memory: { ...base.memory, goal } };
}

/** Requests of the recommender's targets. @param onAdvice receives each advice, with the slot from which it applies */
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
    // Inside the hour the target changes only when usage exceeds it, when an increase ends, and when raises for the next hour begin.
    react: (slot, isOver) => (isOver || isIncreased || isBeforeNextHour(slot + 1) ? adviseAfter(slot) : null),
  };
}
