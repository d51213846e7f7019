// The load per pod at which a HorizontalPodAutoscaler does not scale: target utilization × request. It has to stay the same
// when a request changes, so that the number of replicas does.
// https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#algorithm-details

import type { HpaRecord } from '../model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';

/** One Resource or ContainerResource metric of an HPA. */
export type ResourceMetric = HpaRecord['resourceMetrics'][number];

/** The measured resource of one container; `container` null: of all containers of the pod. */
export type Measured = Pick<ResourceMetric, 'resource' | 'container'>;

/** A target and the request per pod at the time it was set. */
export interface ScalePoint {
  /** Utilization in percent. */
  readonly percent: number;
  /** Millicores or bytes per pod. */
  readonly request: number;
}

/**
 * Bounds of targets: below, pods are mostly idle; above, a pod has no capacity for a peak while new pods start. An original
 * outside the bounds stays allowed.
 */
const MIN_PERCENT = 50;
const MAX_PERCENT = 90;

/** Request that the HPA divides usage by; null: a container has no request, so that the HPA cannot compute utilization. */
export function requestOf({ containers }: Pick<PodRecord, 'containers'>, { resource, container }: Measured): number | null {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  let sum = 0;
  for (const candidate of containers) {
    if (container !== null && candidate.name !== container) continue;
    const request = candidate.requests[field];
    if (request === null) return null;
    sum += request;
  }
  return sum > 0 ? sum : null;
}

/**
 * Mean request of the ready pods, or of the running ones if none is ready; null: no pods. The requests of `spec` count, also
 * while a resize is pending.
 */
export function meanRequest(pods: readonly PodRecord[], measured: Measured): number | null {
  const requests = requestsOf(pods, measured);
  return requests.length === 0 ? null : requests.reduce((sum, request) => sum + request, 0) / requests.length;
}

/** Lower median of the pods' requests, which a few new pods of another size do not change; null: no pods. */
export function usualRequest(pods: readonly PodRecord[], measured: Measured): number | null {
  const sorted = [...requestsOf(pods, measured)].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** Target that keeps the scale point with another request, in whole percent within its bounds. */
export function targetFor(point: ScalePoint, request: number): number {
  const { least, greatest } = percentBounds(point);
  return Math.min(greatest, Math.max(least, Math.round((point.percent * point.request) / request)));
}

/** Range of requests in which the target can follow. */
export function requestBounds(point: ScalePoint): { readonly least: number; readonly greatest: number } {
  const { least, greatest } = percentBounds(point);
  const load = point.percent * point.request;
  return { least: load / greatest, greatest: load / least };
}

function percentBounds({ percent }: ScalePoint): { readonly least: number; readonly greatest: number } {
  return { least: Math.min(MIN_PERCENT, percent), greatest: Math.max(MAX_PERCENT, percent) };
}

function requestsOf(pods: readonly PodRecord[], measured: Measured): readonly number[] {
  const running = pods.filter(({ phase, deletionAt }) => phase === 'Running' && deletionAt === null);
  const ready = running.filter((pod) => pod.ready);
  return (ready.length > 0 ? ready : running).flatMap((pod) => requestOf(pod, measured) ?? []);
}
