// Configuration of a simulated kubelet that affects in-place resize.

import type { RequestsAndLimits } from '#kube/records/resources';

/**
 * Annotation on a Node object: JSON with fields of KubeletConfiguration. Like a real kubelet's file, it is not part of the Node's status.
 */
export const KUBELET_ANNOTATION = 'simulator.evenkeel.io/kubelet';

export interface KubeletConfiguration {
  readonly cpuManagerPolicy?: 'none' | 'static';
  readonly memoryManagerPolicy?: 'None' | 'Static';
  /** `memorySwap.swapBehavior` of the real one. A node with `LimitedSwap` has swap. */
  readonly swapBehavior?: 'NoSwap' | 'LimitedSwap';
}

/** Defaults when the annotation is absent or invalid. */
export function kubeletConfigurationOf(annotations: Readonly<Record<string, string>> | undefined): KubeletConfiguration {
  try {
    const stored: unknown = JSON.parse(annotations?.[KUBELET_ANNOTATION] ?? '{}');
    return typeof stored === 'object' && stored !== null ? stored : {};
  } catch {
    return {};
  }
}

/** A container of a resize: the resources of its spec, and the allocated ones. */
export interface ResizedContainer {
  readonly spec: { readonly resources: RequestsAndLimits; readonly restartOn: { readonly memory: boolean }; readonly role: string };
  readonly allocated: RequestsAndLimits;
}

/** Critical pods never swap. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** Reason why a resize is infeasible whatever the amount, with the message of the kubelet's podResizesAdmitHandler; null when it is not. */
export function refusedByConfiguration(
  configuration: KubeletConfiguration,
  pod: { readonly qosClass: string; readonly priority: number; readonly containers: readonly ResizedContainer[] },
): string | null {
  const resizable = pod.containers.filter(({ spec }) => spec.role !== 'init');
  const { swapBehavior, cpuManagerPolicy, memoryManagerPolicy } = configuration;
  const isSwappable = swapBehavior === 'LimitedSwap' && pod.qosClass === 'Burstable' && pod.priority < CRITICAL_PRIORITY;
  if (isSwappable && resizable.some(isSwappedMemoryChanged)) return 'In-place resize of containers with swap is not supported.';
  if (pod.qosClass !== 'Guaranteed') return null;
  if (cpuManagerPolicy === 'static' && resizable.some((each) => isRequestChanged(each, 'cpuMillicores'))) {
    return 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
  }
  if (memoryManagerPolicy === 'Static' && resizable.some((each) => isRequestChanged(each, 'memoryBytes'))) {
    return 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"';
  }
  return null;
}

function isRequestChanged({ spec, allocated }: ResizedContainer, field: 'cpuMillicores' | 'memoryBytes'): boolean {
  return spec.resources.requests[field] !== allocated.requests[field];
}

/** Containers whose memory request equals the limit, and containers without either, do not swap. */
function isSwappedMemoryChanged(container: ResizedContainer): boolean {
  const canSwap = ({ requests, limits }: RequestsAndLimits): boolean => requests.memoryBytes !== limits.memoryBytes;
  const { spec, allocated } = container;
  return isRequestChanged(container, 'memoryBytes') && !spec.restartOn.memory && (canSwap(spec.resources) || canSwap(allocated));
}
