// Records the CPU requests before temporary increases, so that the end of an increase is distinguished from a reduction.

import type { ContainerPlan } from '../../model/container-plan.ts';
import type { Values } from '../../model/container-values.ts';
import type { ResizeMemory } from '../../model/situation.ts';
import type { DueChange } from './due-changes.ts';

/** Records the requests that a change raises temporarily. @param before values in force on all pods before the change */
export function recordIncreases(
  memory: ResizeMemory,
  containers: readonly ContainerPlan[],
  before: Values,
  values: Values,
): Pick<ResizeMemory, 'cpuBeforeIncrease'> {
  const known = new Map(memory.cpuBeforeIncrease);
  for (const { name, advice } of containers) {
    const from = before.get(name)?.requests.cpuMillicores ?? null;
    const to = values.get(name)?.requests.cpuMillicores ?? null;
    const isIncrease = (advice?.cpu?.increase ?? null) !== null;
    if (isIncrease && from !== null && to !== null && to > from && !known.has(name)) known.set(name, from);
  }
  return { cpuBeforeIncrease: known };
}

/** Removes increases that have ended and are not taken back now: a later decrease counts as a reduction. */
export function updateIncreases(
  { apply, cpuBeforeIncrease }: ResizeMemory,
  containers: readonly ContainerPlan[],
  due: readonly DueChange[],
): ResizeMemory['cpuBeforeIncrease'] {
  if (apply !== null) return cpuBeforeIncrease;
  const isOver = (name: string): boolean => !containers.some((each) => each.name === name && each.advice?.cpu?.increase !== null);
  const isEnding = (name: string): boolean => due.some((change) => change.container === name && change.endsIncrease === true);
  const remaining = [...cpuBeforeIncrease].filter(([name]) => !isOver(name) || isEnding(name));
  return remaining.length === cpuBeforeIncrease.size ? cpuBeforeIncrease : new Map(remaining);
}
