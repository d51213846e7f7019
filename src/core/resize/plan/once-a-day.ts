// A request falls at most once in 24 hours, whatever asks for it. The forecast falls as rarely, but a fall that had to wait for its
// turn would soon be followed by the next one, and what bounds the forecast may change at any time.

import type { Values } from '../model/container-values.ts';
import type { ChangeUnderWay, ResizeMemory, WorkloadSituation } from '../model/situation.ts';
import type { Waiting } from '../model/waiting.ts';
import { DAY_MS, type DurationMs, type Instant } from '../../model/units.ts';
import type { DueChange } from './due-changes.ts';

const MIN_REDUCTION_INTERVAL_MS: DurationMs = DAY_MS;

/** Why a reduction waits for the last one of the same request to be a day old; null: it is. */
export function reducedWithinADay(
  { now, memory }: Pick<WorkloadSituation, 'now' | 'memory'>,
  { container, resource }: DueChange,
): Waiting | null {
  const until = (memory.reductions.get(container)?.[resource] ?? Number.NEGATIVE_INFINITY) + MIN_REDUCTION_INTERVAL_MS;
  if (until <= now) return null;
  return { reason: 'cooldown', message: `the ${resource} request of ${container} fell within the last 24 h`, until };
}

/** Without those of a change that has reached no pod. */
export function withoutReductions(
  reductions: ResizeMemory['reductions'],
  change: Pick<ChangeUnderWay, 'startedAt'> | null,
): ResizeMemory['reductions'] {
  const other = (at: Instant | null): Instant | null => (change !== null && at !== null && at >= change.startedAt ? null : at);
  const kept = [...reductions].map(
    ([name, each]) => [name, { cpu: other(each.cpu), memory: other(each.memory), memoryLimit: other(each.memoryLimit) }] as const,
  );
  return new Map(kept.filter(([, { cpu, memory, memoryLimit }]) => cpu !== null || memory !== null || memoryLimit !== null));
}

/** With those of a change that begins. @param inForce what every container has before it */
export function withReductions(
  reductions: ResizeMemory['reductions'],
  { startedAt, values, endsIncrease }: ChangeUnderWay,
  inForce: Values,
): ResizeMemory['reductions'] {
  if (endsIncrease === true) return reductions;
  const all = new Map(reductions);
  for (const [name, { requests, limits }] of values) {
    const from = inForce.get(name);
    const known = all.get(name) ?? { cpu: null, memory: null, memoryLimit: null };
    const after = (before: Instant | null, to: number | null, was: number | null | undefined): Instant | null =>
      (to ?? 0) < (was ?? 0) ? startedAt : before;
    const cpu = after(known.cpu, requests.cpuMillicores, from?.requests.cpuMillicores);
    const memory = after(known.memory, requests.memoryBytes, from?.requests.memoryBytes);
    const memoryLimit = after(known.memoryLimit, limits.memoryBytes, from?.limits.memoryBytes);
    if (cpu !== null || memory !== null || memoryLimit !== null) all.set(name, { cpu, memory, memoryLimit });
  }
  return all;
}
