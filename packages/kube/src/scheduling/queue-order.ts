import type { SchedulingPod } from './scheduling-model.ts';

/** Order of the scheduling queue: by priority, then age, then name, which makes it deterministic. */
export function compareQueued(a: SchedulingPod, b: SchedulingPod): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  const aKey = `${a.namespace}/${a.name}`;
  const bKey = `${b.namespace}/${b.name}`;
  return aKey < bKey ? -1 : aKey > bKey ? 1 : 0;
}

/**
 * Message of a pod that its scheduling gates keep out of the queue, as in kube-scheduler; null: no gates.
 * @public compared with kube-scheduler by `make e2e`
 */
export function explainGates(pod: SchedulingPod): string | null {
  return pod.gates.length === 0 ? null : `waiting for scheduling gates: ${goList(pod.gates)}`;
}

/** Format of lists in kube-scheduler's messages. */
function goList(items: readonly string[]): string {
  return `[${items.join(' ')}]`;
}
