import type { Instant } from '#kube/units';
import { toTimestamp } from '../../api/timestamp.ts';
import type { KubeObject } from '../../api/kube-object.ts';

const TAINT_KEY = 'node.kubernetes.io/memory-pressure';

interface PartialNode {
  spec?: { taints?: { key: string; effect: string; value?: string }[] };
  status?: { conditions?: Record<string, string>[] };
}

/** Sets MemoryPressure in a draft of a Node's status. */
export function writeMemoryPressure(draft: KubeObject, pressed: boolean, now: Instant): void {
  const { status } = draft as unknown as PartialNode;
  for (const condition of status?.conditions ?? []) {
    if (condition['type'] !== 'MemoryPressure') continue;
    condition['status'] = pressed ? 'True' : 'False';
    condition['reason'] = pressed ? 'KubeletHasInsufficientMemory' : 'KubeletHasSufficientMemory';
    condition['message'] = pressed ? 'kubelet has insufficient memory available' : 'kubelet has sufficient memory available';
    condition['lastTransitionTime'] = condition['lastHeartbeatTime'] = toTimestamp(now);
  }
}

/** Adds or removes the taint in a draft of a Node, so that no new pod is scheduled there meanwhile. */
export function taintForMemoryPressure(draft: KubeObject, pressed: boolean): void {
  const node = draft as unknown as PartialNode;
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== TAINT_KEY);
  const taints = pressed ? [...others, { key: TAINT_KEY, effect: 'NoSchedule' }] : others;
  node.spec ??= {};
  if (taints.length > 0) node.spec.taints = taints;
  else delete node.spec.taints;
}

/** Updates the heartbeat of every condition in a draft of a Node's status. */
export function renewHeartbeat(draft: KubeObject, now: Instant): void {
  const { status } = draft as unknown as PartialNode;
  for (const condition of status?.conditions ?? []) condition['lastHeartbeatTime'] = toTimestamp(now);
}
