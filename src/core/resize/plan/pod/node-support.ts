// Whether a node supports in-place resizes, by its status. The configuration of its kubelet is learnt from refusals.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { RefusalCode } from '#kube/records/refusal-code';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { WorkloadSituation } from '../../model/situation.ts';

/** First kubelet version with in-place resizes enabled by default. */
const RESIZES_SINCE = [1, 33] as const;
/** Pods of this priority or higher are critical, and the kubelet gives them no swap. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** Message why the node of a pod does not support in-place resizes; null: it may support them. */
export function unsupportedByNode(
  { name, node }: PodRecord,
  { windowsNodes, kubeletVersions }: Pick<WorkloadSituation, 'windowsNodes' | 'kubeletVersions'>,
): string | null {
  if (node === null) return null;
  if (windowsNodes?.has(node) === true) return `${name}: node ${node} runs Windows, which does not support in-place resizes`;
  const version = kubeletVersions.get(node) ?? '';
  // A version that cannot be parsed does not count as too old; a refusal by the kubelet would show it.
  if (isOlder(version, RESIZES_SINCE) !== true) return null;
  return `${name}: the kubelet of node ${node} is ${version}; in-place resizes require v${RESIZES_SINCE.join('.')}`;
}

/** Whether a kubelet is older than a release; null: its version cannot be parsed. */
export function isOlder(version: string, [sinceMajor, sinceMinor]: readonly [number, number]): boolean | null {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return null;
  return Number(major) < sinceMajor || (Number(major) === sinceMajor && Number(minor) < sinceMinor);
}

/** Whether a refusal with this code can apply to a pod, by its QoS class and priority. */
export function isAffectedBy(code: RefusalCode, { qosClass, priority }: PodRecord): boolean {
  if (code === 'cpu-manager' || code === 'memory-manager') return qosClass === 'Guaranteed';
  return code !== 'swap' || (qosClass === 'Burstable' && priority < CRITICAL_PRIORITY);
}

/** Whether a kubelet with swap enabled refuses to change the memory request of this container. */
export function canSwap(container: ContainerRecord, to: RequestsAndLimits = container): boolean {
  const isEqual = ({ requests, limits }: RequestsAndLimits): boolean => requests.memoryBytes === limits.memoryBytes;
  return container.resizePolicy.memory === 'NotRequired' && !(isEqual(container) && isEqual(to));
}
