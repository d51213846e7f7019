import type { PodRecord } from '#kube/records/pod';
import { isApplied } from '../../model/limit-exception.ts';
import { failureKey } from '../../plan/steps/failed-resizes.ts';
import { NO_MEMORY, type ResizeMemory } from '../../model/situation.ts';

/** The pods of a workload on nodes of one size class. */
export interface CurrentClass {
  readonly name: string;
  readonly pods: readonly PodRecord[];
}

/** The classes of the pods, the class with the most pods first, of equally many by name. Pods on unknown nodes are in none. */
export function currentClasses(pods: readonly PodRecord[], classes: ReadonlyMap<string, string>): readonly CurrentClass[] {
  const byClass = new Map<string, PodRecord[]>();
  for (const pod of pods) {
    const name = pod.node === null ? undefined : classes.get(pod.node);
    if (name !== undefined) byClass.set(name, [...(byClass.get(name) ?? []), pod]);
  }
  return [...byClass]
    .map(([name, classMemory]) => ({ name, pods: classMemory }))
    .sort((a, b) => b.pods.length - a.pods.length || (a.name < b.name ? -1 : 1));
}

/** Whether classes are decided separately: there are, or were, at least two. */
export function hasSeveralClasses(current: readonly CurrentClass[], memory: ResizeMemory): boolean {
  return current.length > 1 || (current.length > 0 && (memory.classes?.size ?? 0) > 0);
}

/**
 * The memory of one class. Where the workload had one class so far, its memory belongs to the class with the oldest pod; a new class
 * starts without memory, so that it does not get the values of another one.
 */
export function memoryOfClass({ name, pods }: CurrentClass, current: readonly CurrentClass[], memory: ResizeMemory): ResizeMemory {
  const { classes, ...workloadMemory } = memory;
  const classMemory =
    classes?.get(name) ?? (firstOf(current) === name && (classes?.size ?? 0) === 0 ? workloadMemory : newClassMemory(workloadMemory));
  return { ...classMemory, failures: withNewer(classMemory.failures, workloadMemory.failures, pods) };
}

/** The memory for a pod that is created for a node of a class. @param name the class; null: unknown */
export function memoryAtCreation(
  name: string | null,
  pods: readonly PodRecord[],
  classes: ReadonlyMap<string, string>,
  memory: ResizeMemory,
): ResizeMemory {
  const current = currentClasses(pods, classes);
  const isOne = (memory.classes?.size ?? 0) === 0 && current.length <= 1;
  if (name === null) return isOne ? memory : NO_MEMORY;
  if (isOne && (current.length === 0 || current[0]?.name === name)) return memory;
  return memoryOfClass(current.find((each) => each.name === name) ?? { name, pods: [] }, current, memory);
}

// The memory of a new class. Temporary increases are kept, because they end in every pod that has them, and so is the time of the last
// requested roll-back, which was executed for the whole workload.
function newClassMemory({ boosts, limitExceptions, lastRollbackRequestAt }: ResizeMemory): ResizeMemory {
  return { ...NO_MEMORY, boosts, limitExceptions: limitExceptions.filter(isApplied), lastRollbackRequestAt };
}

// Refusals are stored for the whole workload after the decision, so newer ones are merged into those of the class.
function withNewer(
  classMemory: ResizeMemory['failures'],
  workloadMemory: ResizeMemory['failures'],
  pods: readonly PodRecord[],
): ResizeMemory['failures'] {
  const known = new Map(classMemory.map((failure) => [failureKey(failure), failure]));
  for (const failure of workloadMemory) {
    if (failure.pool === null && !pods.some(({ uid }) => uid === failure.uid)) continue;
    const key = failureKey(failure);
    if (failure.since >= (known.get(key)?.since ?? Number.NEGATIVE_INFINITY)) known.set(key, failure);
  }
  return [...known.values()];
}

function firstOf(current: readonly CurrentClass[]): string | null {
  const oldest = ({ pods }: CurrentClass): number => Math.min(...pods.map(({ createdAt }) => createdAt));
  return current.toSorted((a, b) => oldest(a) - oldest(b))[0]?.name ?? null;
}
