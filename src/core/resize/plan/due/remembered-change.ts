// The stored memory of a workload after its change begins or is ended.

import type { PodRecord } from '#kube/records/pod';
import { isEvenkeelManager } from '../../../model/field-managers.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { SECOND_MS, type Instant } from '#kube/units';
import { greaterOf, hasReduction, hasSameValues, type Values } from '../../model/container-values.ts';
import type { ChangeUnderWay, ResizeMemory } from '../../model/situation.ts';
import { withoutReductions, withReductions } from './once-a-day.ts';
import { isVerificationNeeded } from './stages.ts';

/** The memory after a change starts. @param inForce values of all containers before the change */
export function memoryAfterStart(memory: ResizeMemory, change: ChangeUnderWay, inForce: Values): Partial<ResizeMemory> {
  const raisesOnly = !isVerificationNeeded(change, inForce);
  return {
    apply: raisesOnly ? { ...change, stage: 'All' } : change,
    previous: { at: change.startedAt, values: inForce },
    reductions: withReductions(memory.reductions, change, inForce),
  };
}

/**
 * Values in force before the change under way. Those of `previous` may be older: a roll-back returns to the values before all parts of an
 * approval.
 */
export function valuesBeforeChange({ previous, lastApplied }: Pick<ResizeMemory, 'previous' | 'lastApplied'>): Values {
  const earlier = previous?.values ?? new Map<string, RequestsAndLimits>();
  return previous === null || lastApplied === null || lastApplied.at <= previous.at
    ? earlier
    : new Map([...earlier, ...lastApplied.values]);
}

/** Whether any pod differs from the values before the change. */
export function hasChangedPods(pods: readonly PodRecord[], previous: ResizeMemory['previous']): boolean {
  return pods.some(({ containers }) => containers.some((each) => !hasSameValues(previous?.values.get(each.name) ?? each, each)));
}

/** Whether the last change reduced a pod, and no other manager has resized it since. */
export function isReducedByChange({ resizedBy, containers }: PodRecord, previous: ResizeMemory['previous']): boolean {
  if (previous === null || resizedBy === null || !isEvenkeelManager(resizedBy.manager)) return false;
  // Times in managedFields are whole seconds.
  if (resizedBy.at < Math.floor(previous.at / SECOND_MS) * SECOND_MS) return false;
  return containers.some((each) => hasReduction(previous.values.get(each.name) ?? each, each));
}

/**
 * The memory after a change is ended: the values before it are in force again, except for raises that pods already have and may use.
 * `previous` is kept, because unreachable pods may have the values of the change.
 * @param hasChangedPods some pod was resized
 */
export function memoryAfterEnd(
  memory: ResizeMemory,
  pods: readonly PodRecord[],
  now: Instant,
  hasChangedPods: boolean,
): Partial<ResizeMemory> {
  const { apply, previous, lastApplied } = memory;
  const before = valuesBeforeChange(memory);
  const values = apply === null ? before : withReachedRaises(before, apply.values, pods);
  const isRaised = [...values].some(([name, each]) => !hasSameValues(before.get(name) ?? each, each));
  const common = {
    apply: null,
    cpuBeforeIncrease: new Map(),
    reductions: hasChangedPods ? memory.reductions : withoutReductions(memory.reductions, apply),
  };
  if (previous === null || !(hasChangedPods || isRaised)) return common;
  const by = lastApplied?.by ?? 'evenkeel';
  return { ...common, lastApplied: { at: now, by, reason: `ended before completion: ${apply?.reason ?? ''}`, pods: 0, values } };
}

/** `from` with the raises of `to` that any pod already has. */
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
