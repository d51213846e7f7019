import type { Pod, WireCondition } from '../controllers/wire/pod.ts';
import type { KubeObject } from '../api/kube-object.ts';

/** The pod's PodScheduled condition. */
export function findScheduled(pod: Pod): WireCondition | undefined {
  return (pod.status as Pod['status'] | undefined)?.conditions?.find(({ type }) => type === 'PodScheduled');
}

/** Sets the PodScheduled condition with the reason why the pod is unschedulable. */
export function writeUnschedulable(draft: KubeObject, message: string, now: string): void {
  const pod = draft as unknown as { metadata: KubeObject['metadata']; status?: Pod['status'] };
  pod.status ??= {};
  const old = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  const condition: WireCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? now) : now,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
  };
  pod.status.conditions = [...(pod.status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'), condition];
}

/** The nominated node of the pod; null: none. */
export function writeNomination(draft: KubeObject, node: string | null): void {
  const pod = draft as unknown as { status?: Pod['status'] };
  if (node !== null) (pod.status ??= {})['nominatedNodeName'] = node;
  else if (pod.status !== undefined) delete pod.status['nominatedNodeName'];
}
