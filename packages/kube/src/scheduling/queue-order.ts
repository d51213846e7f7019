import type { SchedulingPod } from './scheduling-model.ts';

/** Who is served first: the higher priority, then the older, then by name, so that equal clusters give equal answers. */
export function compareQueued(a: SchedulingPod, b: SchedulingPod): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  const aKey = `${a.namespace}/${a.name}`;
  const bKey = `${b.namespace}/${b.name}`;
  return aKey < bKey ? -1 : aKey > bKey ? 1 : 0;
}

/**
 * What keeps a pod from being queued at all, in the scheduler's words; null when nothing does.
 * @public held against kube-scheduler by `make e2e`
 */
export function explainGates(pod: SchedulingPod): string | null {
  return pod.gates.length === 0 ? null : `waiting for scheduling gates: ${goList(pod.gates)}`;
}

/** As kube-scheduler prints lists. */
function goList(items: readonly string[]): string {
  return `[${items.join(' ')}]`;
}
