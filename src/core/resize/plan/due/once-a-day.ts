// A request falls at most once in 24 hours, at pace Hourly CPU at most once per hour, whatever the reason. The forecast itself falls as
// rarely, but a delayed reduction would soon be followed by the next one, and bounds of the forecast may change at any time.

import type { Values } from '../../model/container-values.ts';
import type { ChangeUnderWay, EffectivePace, ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import type { Waiting } from '../../model/waiting.ts';
import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import type { DueChange } from './due-changes.ts';

/** No CPU request falls for this long after the pace in force has changed. Raises are not delayed. */
const PACE_COOLDOWN_MS: DurationMs = DAY_MS;

/** Why a reduction waits because the same request was reduced too recently for the pace; null: it was not. */
export function awaitReductionInterval(
  situation: Pick<WorkloadSituation, 'now' | 'memory' | 'pace'>,
  { container, resource }: DueChange,
): Waiting | null {
  const { now, memory, pace = 'Daily' } = situation;
  const hours = resource === 'cpu' && pace === 'Hourly' ? 1 : 24;
  const until = (memory.reductions.get(container)?.[resource] ?? Number.NEGATIVE_INFINITY) + hours * HOUR_MS;
  if (until <= now) return resource === 'cpu' ? awaitPaceSettled(situation) : null;
  return { reason: 'cooldown', message: `the ${resource} request of ${container} fell within the last ${hours} h`, until };
}

/** Waits after a change of pace: with an unstable lease, the difference between both paces would lower requests each time. */
function awaitPaceSettled({ now, memory: { pace } }: Pick<WorkloadSituation, 'now' | 'memory'>): Waiting | null {
  const until = (pace?.since ?? Number.NEGATIVE_INFINITY) + PACE_COOLDOWN_MS;
  if (pace === null || until <= now) return null;
  return { reason: 'cooldown', message: `pace ${pace.effective} came into force within the last 24 h`, until };
}

/** The pace in force to store, with its start; the same object where nothing has changed, null: Daily for a day or more. */
export function recordPace({ now, memory, pace = 'Daily' }: Pick<WorkloadSituation, 'now' | 'memory' | 'pace'>): EffectivePace | null {
  const before = memory.pace;
  if (pace !== (before?.effective ?? 'Daily')) return { effective: pace, since: now };
  return before !== null && pace === 'Daily' && now - before.since >= PACE_COOLDOWN_MS ? null : before;
}

/** The reductions without those of a change that has reached no pod. */
export function withoutReductions(
  reductions: ResizeMemory['reductions'],
  change: Pick<ChangeUnderWay, 'startedAt'> | null,
): ResizeMemory['reductions'] {
  const other = (at: Instant | null): Instant | null => (change !== null && at !== null && at >= change.startedAt ? null : at);
  const remaining = [...reductions].map(
    ([name, each]) => [name, { cpu: other(each.cpu), memory: other(each.memory), memoryLimit: other(each.memoryLimit) }] as const,
  );
  return new Map(remaining.filter(([, { cpu, memory, memoryLimit }]) => cpu !== null || memory !== null || memoryLimit !== null));
}

/** The reductions with those of a change that starts. @param inForce values of each container before the change */
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
