// A request falls at most once in 24 hours. The forecast falls as rarely, but a fall that had to wait for its turn would soon be
// followed by the next one.

import { FIELD, type Values } from '../model/container-values.ts';
import type { ChangeUnderWay, ResizeMemory, WorkloadSituation } from '../model/situation.ts';
import type { Waiting } from '../model/waiting.ts';
import { DAY_MS, type DurationMs, type Instant } from '../../model/units.ts';
import type { DueChange } from './due-changes.ts';

const MIN_REDUCTION_INTERVAL_MS: DurationMs = DAY_MS;

type ReductionTimes = Pick<ResizeMemory, 'cpuRequestLoweredAt' | 'memoryRequestLoweredAt'>;

/**
 * Why a reduction waits for the last one of the same request to be a day old; null: it is, or the forecast has not fallen since:
 * a person's new bounds wait for nothing.
 */
export function reducedWithinADay(
  { now, memory, advice }: Pick<WorkloadSituation, 'now' | 'memory' | 'advice'>,
  { container, resource }: DueChange,
): Waiting | null {
  const times = resource === 'cpu' ? memory.cpuRequestLoweredAt : memory.memoryRequestLoweredAt;
  const loweredAt = times.get(container) ?? Number.NEGATIVE_INFINITY;
  const fellAt = advice.find((each) => each.container === container)?.[resource]?.baseLoweredAt ?? null;
  const until = loweredAt + MIN_REDUCTION_INTERVAL_MS;
  if (until <= now || fellAt === null || fellAt <= loweredAt) return null;
  return { reason: 'cooldown', message: `the ${resource} request of ${container} fell within the last 24 h`, until };
}

/** What is remembered of a change that begins. @param inForce what every container has before it */
export function rememberReductions(
  memory: ReductionTimes,
  { startedAt, values, endsIncrease }: ChangeUnderWay,
  inForce: Values,
): ReductionTimes {
  const loweredIn = (before: ReadonlyMap<string, Instant>, resource: DueChange['resource']): ReadonlyMap<string, Instant> => {
    const field = FIELD[resource];
    const lowered =
      endsIncrease === true
        ? []
        : [...values].filter(([name, to]) => (to.requests[field] ?? 0) < (inForce.get(name)?.requests[field] ?? 0));
    return new Map([...before, ...lowered.map(([name]) => [name, startedAt] as const)]);
  };
  return {
    cpuRequestLoweredAt: loweredIn(memory.cpuRequestLoweredAt, 'cpu'),
    memoryRequestLoweredAt: loweredIn(memory.memoryRequestLoweredAt, 'memory'),
  };
}
