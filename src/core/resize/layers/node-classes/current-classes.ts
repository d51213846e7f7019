import type { PodRecord } from '#kube/records/pod';
import { isApplied } from '../../model/limit-exception.ts';
import { failureKey } from '../../plan/failed-resizes.ts';
import { NO_MEMORY, type ResizeMemory } from '../../model/situation.ts';

/** Pods of a workload on nodes of one class. */
export interface CurrentClass {
  readonly name: string;
  readonly pods: readonly PodRecord[];
}

/** By class, that with the most pods first; of equally many by name. Pods on unknown nodes are in none. */
export function currentClasses(pods: readonly PodRecord[], classes: ReadonlyMap<string, string>): readonly CurrentClass[] {
  const byClass = new Map<string, PodRecord[]>();
  for (const pod of pods) {
    const name = pod.node === null ? undefined : classes.get(pod.node);
    if (name !== undefined) byClass.set(name, [...(byClass.get(name) ?? []), pod]);
  }
  return [...byClass]
    .map(([name, own]) => ({ name, pods: own }))
    .sort((a, b) => b.pods.length - a.pods.length || (a.name < b.name ? -1 : 1));
}

/** Whether classes are decided separately: there are two of them, or have been. */
export function areApart(current: readonly CurrentClass[], memory: ResizeMemory): boolean {
  return current.length > 1 || (current.length > 0 && (memory.classes?.size ?? 0) > 0);
}

/**
 * What is remembered of one class. Where the workload had one class until now, that memory is of the class whose pods have
 * been there for the longest; a class that comes new begins anew, so that it never gets what another one needs.
 */
export function memoryOfClass({ name, pods }: CurrentClass, current: readonly CurrentClass[], memory: ResizeMemory): ResizeMemory {
  const { classes, ...whole } = memory;
  const own = classes?.get(name) ?? (firstOf(current) === name && (classes?.size ?? 0) === 0 ? whole : afresh(whole));
  return { ...own, failures: withNewer(own.failures, whole.failures, pods) };
}

/** What counts for a pod that is made for a node of a class; `null`: of which class is not known. */
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

// A temporary increase is taken back from every pod that has it, whichever class it turned out to be of.
// A request for a roll-back was carried out for the workload, before the class came.
function afresh({ boosts, limitExceptions, lastRollbackRequestAt }: ResizeMemory): ResizeMemory {
  return { ...NO_MEMORY, boosts, limitExceptions: limitExceptions.filter(isApplied), lastRollbackRequestAt };
}

// Refusals are noted for the workload as a whole, after the decision.
function withNewer(own: ResizeMemory['failures'], whole: ResizeMemory['failures'], pods: readonly PodRecord[]): ResizeMemory['failures'] {
  const known = new Map(own.map((failure) => [failureKey(failure), failure]));
  for (const failure of whole) {
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
