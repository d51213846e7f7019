// Keeps idle hours out of recommendations: while a workload is idle, and until it was active for a day, the recommendation is at least the
// one before the idle period.

import type { IdleMemory, LastIdle, Sizes } from '../../model/evidence/idle-memory.ts';
import { requestsOnly } from '../../model/evidence/idle-memory.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import type { RecommenderRules, ResourceRules } from '../../../recommender/advice.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** After this active time the workload has shown each hour of a day, and the recommendation follows its usage again. */
const ACTIVE_FOR_MS: DurationMs = DAY_MS;

/**
 * The floor of an idle period that starts now: the present recommendation. A workload that is idle every night keeps its floor over
 * several idle periods until it was active for a day in total.
 */
export function nextFloor(situation: WorkloadSituation, plans: readonly ContainerPlan[]): Pick<IdleMemory, 'floor' | 'activeMs'> {
  const floor = floorInForce(situation.memory, situation.now);
  if (floor !== null) return { floor, activeMs: activeMs(situation.memory.lastIdle, situation.now) };
  return { floor: new Map(plans.map(({ name, target, inForce }) => [name, requestsOnly((target ?? inForce).requests)])), activeMs: 0 };
}

/** Lower bounds of the recommendation because of idle hours; null: none. */
function floorInForce(memory: ResizeMemory, now: Instant): Sizes | null {
  if (memory.idle !== null) return memory.idle.floor;
  const { lastIdle } = memory;
  return lastIdle === null || activeMs(lastIdle, now) >= ACTIVE_FOR_MS ? null : lastIdle.floor;
}

/** The rules with the idle floor as minimum, so that advice and explanation agree. A smaller maximum takes precedence. */
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
