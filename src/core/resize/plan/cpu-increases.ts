// Temporary increases of CPU: what was in force on all pods before them, so that their end is distinguished from a reduction.

import type { ContainerPlan } from '../model/container-plan.ts';
import type { Values } from '../model/container-values.ts';
import type { ResizeMemory } from '../model/situation.ts';
import type { DueChange } from './due-changes.ts';

/** Remembers what a change of ours that begins, or grows, raises for a while. @param before what was in force on all pods */
export function rememberIncreases(
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

/** An increase that is over and is not taken back now has become what the container has: what follows is a reduction. */
export function increasesNow(
  { apply, cpuBeforeIncrease }: ResizeMemory,
  containers: readonly ContainerPlan[],
  due: readonly DueChange[],
): ResizeMemory['cpuBeforeIncrease'] {
  if (apply !== null) return cpuBeforeIncrease;
  const isOver = (name: string): boolean => !containers.some((each) => each.name === name && each.advice?.cpu?.increase !== null);
  const ends = (name: string): boolean => due.some((change) => change.container === name && change.endsIncrease === true);
  const kept = [...cpuBeforeIncrease].filter(([name]) => !isOver(name) || ends(name));
  return kept.length === cpuBeforeIncrease.size ? cpuBeforeIncrease : new Map(kept);
}
