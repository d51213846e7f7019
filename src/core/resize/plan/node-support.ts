// What a node can resize in place, as far as its status says; what its kubelet is configured to is learnt from refusals.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { RefusalCode } from '#kube/records/refusal-code';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { WorkloadSituation } from '../model/situation.ts';

/** First kubelet that resizes pods in place without a feature gate. */
const RESIZES_SINCE = [1, 33] as const;
/** Pods of this priority or higher are critical: they never swap. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** Why the node of a pod resizes nothing in place, in words; null: it may. */
export function unsupportedByNode(
  { name, node }: PodRecord,
  { windowsNodes, kubeletVersions }: Pick<WorkloadSituation, 'windowsNodes' | 'kubeletVersions'>,
): string | null {
  if (node === null) return null;
  if (windowsNodes?.has(node) === true) return `${name}: its node ${node} runs Windows, where no pod is resized in place`;
  const version = kubeletVersions.get(node) ?? '';
  // An unreadable version is not too old: the kubelet's answer is learnt from.
  if (isOlder(version, RESIZES_SINCE) !== true) return null;
  return `${name}: the kubelet of its node ${node} is ${version}; pods are resized in place from v${RESIZES_SINCE.join('.')} on`;
}

/** Whether a kubelet is older than a release; null: its version cannot be read. */
export function isOlder(version: string, [sinceMajor, sinceMinor]: readonly [number, number]): boolean | null {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return null;
  return Number(major) < sinceMajor || (Number(major) === sinceMajor && Number(minor) < sinceMinor);
}

/** Whether a property of a node concerns a pod at all. */
export function concerns(code: RefusalCode, { qosClass, priority }: PodRecord): boolean {
  if (code === 'cpu-manager' || code === 'memory-manager') return qosClass === 'Guaranteed';
  return code !== 'swap' || (qosClass === 'Burstable' && priority < CRITICAL_PRIORITY);
}

/** Whether a kubelet that lets containers swap refuses to change the memory request of this one. */
export function maySwap(container: ContainerRecord, to: RequestsAndLimits = container): boolean {
  const isEqual = ({ requests, limits }: RequestsAndLimits): boolean => requests.memoryBytes === limits.memoryBytes;
  return container.resizePolicy.memory === 'NotRequired' && !(isEqual(container) && isEqual(to));
}
