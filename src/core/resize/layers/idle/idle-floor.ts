// What idle hours must not teach: while a workload sleeps, and until it has been awake for long enough to judge by, at least
// what was recommended before is recommended.

import type { IdleMemory, LastIdle, Sizes } from '../../model/idle-memory.ts';
import { requestsOnly } from '../../model/idle-memory.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import type { RecommenderRules, ResourceRules } from '../../../recommender/advice.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** Awake for so long it has shown each hour of a day, and what is recommended follows from its use again. */
const ACTIVE_FOR_MS: DurationMs = DAY_MS;

/**
 * What is recommended now, before the idle hours are learnt, is recommended at least until the workload has been awake for a
 * day. A workload that is idle every night keeps the floor over its idle periods until then.
 */
export function nextFloor(situation: WorkloadSituation, plans: readonly ContainerPlan[]): Pick<IdleMemory, 'floor' | 'activeMs'> {
  const floor = floorInForce(situation.memory, situation.now);
  if (floor !== null) return { floor, activeMs: activeMs(situation.memory.lastIdle, situation.now) };
  return { floor: new Map(plans.map(({ name, target, inForce }) => [name, requestsOnly((target ?? inForce).requests)])), activeMs: 0 };
}

/** Requests below which nothing is recommended because of idle hours; null: there is no such floor now. */
function floorInForce(memory: ResizeMemory, now: Instant): Sizes | null {
  if (memory.idle !== null) return memory.idle.floor;
  const { lastIdle } = memory;
  return lastIdle === null || activeMs(lastIdle, now) >= ACTIVE_FOR_MS ? null : lastIdle.floor;
}

/** The same rules with that floor as the least, so that advice and its explanation agree. A greatest value that is less wins. */
export function withIdleFloor(
  rulesFor: (container: string) => RecommenderRules,
  memory: ResizeMemory,
  now: Instant,
): (container: string) => RecommenderRules {
  const floor = floorInForce(memory, now);
  if (floor === null) return rulesFor;
  return (container) => {
    const rules = rulesFor(container);
    const least = floor.get(container)?.requests ?? UNSET_RESOURCES;
    const raised = (own: ResourceRules, amount: number | null): ResourceRules => ({
      ...own,
      min: Math.max(own.min, Math.min(amount ?? 0, own.max ?? Number.POSITIVE_INFINITY)),
    });
    return { ...rules, cpu: raised(rules.cpu, least.cpuMillicores), memory: raised(rules.memory, least.memoryBytes) };
  };
}

function activeMs(last: LastIdle | null, now: Instant): DurationMs {
  return last === null ? 0 : last.activeMs + Math.max(0, now - last.wokenAt);
}
