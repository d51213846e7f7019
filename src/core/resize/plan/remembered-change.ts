// The stored memory of a workload after its change begins, is dropped or is rolled back.

import type { PodRecord } from '#kube/records/pod';
import { isOwnManager } from '../../model/field-managers.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { HOUR_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { greaterOf, lowersAnything, sameValues, type Values } from '../model/container-values.ts';
import type { ChangeUnderWay, ResizeMemory, UserRequests, WatchedReduction, WorkloadSituation } from '../model/situation.ts';
import { withoutReductions, withReductions } from './once-a-day.ts';
import { mustProveItself } from './stages.ts';

/** First hold after an automatic roll-back; each in a row doubles it, up to a week. */
const HOLD_MS: DurationMs = 24 * HOUR_MS;
const MAX_HOLD_MS: DurationMs = 7 * 24 * HOUR_MS;

/** @param inForce what every container has before it */
export function begun(memory: ResizeMemory, change: ChangeUnderWay, inForce: Values): Partial<ResizeMemory> {
  const raisesOnly = !mustProveItself(change, inForce);
  return {
    apply: raisesOnly ? { ...change, stage: 'All' } : change,
    previous: { at: change.startedAt, values: inForce },
    reductions: withReductions(memory.reductions, change, inForce),
  };
}

/** Whether any pod is otherwise than before the change. */
export function hasBegun(pods: readonly PodRecord[], previous: ResizeMemory['previous']): boolean {
  return pods.some(({ containers }) => containers.some((each) => !sameValues(previous?.values.get(each.name) ?? each, each)));
}

/** Whether a pod has less than before because the last change made it smaller, and no other manager has resized it since. */
export function isMadeSmaller({ resizedBy, containers }: PodRecord, previous: ResizeMemory['previous']): boolean {
  if (previous === null || resizedBy === null || !isOwnManager(resizedBy.manager)) return false;
  // Times of the server's record are whole seconds.
  if (resizedBy.at < Math.floor(previous.at / SECOND_MS) * SECOND_MS) return false;
  return containers.some((each) => lowersAnything(previous.values.get(each.name) ?? each, each));
}

/** Whether a change makes a container smaller in anything. */
export function lowersContainer(change: ChangeUnderWay, previous: ResizeMemory['previous'], container: string): boolean {
  const [from, to] = [previous?.values.get(container), change.values.get(container)];
  return from !== undefined && to !== undefined && lowersAnything(from, to);
}

/**
 * Drops the change: the values before it are in force again, except for raises that pods already have and may use.
 * `previous` stays: pods that cannot be reached now may have the values of the change.
 * @param hasBegun some pod has been touched
 */
export function ended(memory: ResizeMemory, pods: readonly PodRecord[], now: Instant, hasBegun: boolean): Partial<ResizeMemory> {
  const { apply, previous, lastApplied } = memory;
  const values = previous === null || apply === null ? previous?.values : withReachedRaises(previous.values, apply.values, pods);
  const isRaised = [...(values ?? [])].some(([name, each]) => !sameValues(previous?.values.get(name) ?? each, each));
  const common = {
    apply: null,
    cpuBeforeIncrease: new Map(),
    reductions: hasBegun ? memory.reductions : withoutReductions(memory.reductions, apply),
  };
  if (values === undefined || !(hasBegun || isRaised)) return common;
  const by = lastApplied?.by ?? 'evenkeel';
  return { ...common, lastApplied: { at: now, by, reason: `not: ${apply?.reason ?? ''}`, pods: 0, values } };
}

/** `from` with the raises of `to` that are in force in any pod. */
function withReachedRaises(from: Values, to: Values, pods: readonly PodRecord[]): Values {
  const reached = pods
    .flatMap(({ containers }) => containers.map((each): Values => new Map([[each.name, each.actual ?? each]])))
    .reduce(greaterOf, new Map());
  return new Map(
    [...from].map(([name, was]) => {
      const [wanted, has] = [to.get(name) ?? was, reached.get(name) ?? was];
      const amounts = (part: keyof RequestsAndLimits): OptionalResources => ({
        cpuMillicores: raisedAmount(was[part].cpuMillicores, wanted[part].cpuMillicores, has[part].cpuMillicores),
        memoryBytes: raisedAmount(was[part].memoryBytes, wanted[part].memoryBytes, has[part].memoryBytes),
      });
      return [name, { requests: amounts('requests'), limits: amounts('limits') }];
    }),
  );
}

function raisedAmount(was: number | null, wanted: number | null, has: number | null): number | null {
  return was === null || wanted === null || has === null ? was : Math.max(was, Math.min(wanted, has));
}

/**
 * What was before the last change is in force again. An automatic one takes back reductions alone: what was raised with them, or
 * since, was needed. @param why `requestedAt`: `at` of the request that it carries out; null: it is automatic
 */
export function rolledBack(
  memory: ResizeMemory,
  now: Instant,
  why: { readonly reason: string; readonly message: string; readonly requestedAt: Instant | null },
): Partial<ResizeMemory> {
  const takenBack: Values = memory.apply?.values ?? memory.lastApplied?.values ?? new Map();
  const earlier = memory.previous?.values;
  const values = earlier === undefined || why.requestedAt !== null ? earlier : greaterOf(earlier, takenBack);
  const count = why.requestedAt === null ? (memory.rolledBack?.count ?? 0) + 1 : 0;
  const hold = Math.min(HOLD_MS * 2 ** Math.max(0, count - 1), MAX_HOLD_MS);
  const isUndone = ({ before }: WatchedReduction): boolean =>
    [...before].every(([name, from]) => !lowersAnything(from, values?.get(name) ?? from));
  return {
    apply: null,
    previous: null,
    lastApplied: values === undefined ? memory.lastApplied : { at: now, by: 'evenkeel', reason: 'roll-back', pods: 0, values },
    rolledBack: { at: now, ...why, heldUntil: now + hold, count, values: takenBack },
    lastRollbackRequestAt: why.requestedAt ?? memory.lastRollbackRequestAt,
    cpuBeforeIncrease: new Map(),
    watched: values === undefined ? memory.watched : memory.watched.filter((each) => !isUndone(each)),
  };
}

/**
 * What a user asks to be rolled back and has not been yet; null: nothing. A request stays in the Recommendation after it was carried
 * out: it is identified by its time, which neither later roll-backs nor the clock change.
 */
export function rollbackToCarryOut({ userRequests, memory }: Pick<WorkloadSituation, 'userRequests' | 'memory'>): UserRequests['rollback'] {
  const { rollback } = userRequests;
  return rollback === null || rollback.at === memory.lastRollbackRequestAt ? null : rollback;
}

/** Roll-backs in a row end with a change that proved itself; a raise has nothing to prove, and a change that only new pods get is not proven yet. */
export function resetRollBackCount(rolledBack: ResizeMemory['rolledBack'], isProven: boolean): ResizeMemory['rolledBack'] {
  return rolledBack === null || !isProven ? rolledBack : { ...rolledBack, count: 0 };
}
