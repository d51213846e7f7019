// The load per pod at which a HorizontalPodAutoscaler is content: its target utilization of the request. It is what stays
// when a request moves, so that the replicas do.
// https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#algorithm-details

import type { HpaRecord } from '../model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';

export type ResourceMetric = HpaRecord['resourceMetrics'][number];

/** What of a pod a metric is about: of one container, or with null of all. */
export type Measured = Pick<ResourceMetric, 'resource' | 'container'>;

/** A target and the request per pod that it was set for. */
export interface ScalePoint {
  /** Utilization in percent. */
  readonly percent: number;
  /** Millicores or bytes a pod. */
  readonly request: number;
}

/**
 * Targets outside are poor ones: under the lower a pod is mostly idle room, over the upper a peak has nowhere to go while new
 * pods start. One that was set outside by its owner stays allowed.
 */
const MIN_PERCENT = 50;
const MAX_PERCENT = 90;

/** What the autoscaler measures a pod's usage against; null where a container asks for nothing: then it cannot. */
export function requestOf({ containers }: Pick<PodRecord, 'containers'>, { resource, container }: Measured): number | null {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  let sum = 0;
  for (const each of containers) {
    if (container !== null && each.name !== container) continue;
    const request = each.requests[field];
    if (request === null) return null;
    sum += request;
  }
  return sum > 0 ? sum : null;
}

/**
 * Mean over the pods that count, which are those that are ready; without any, those that run. The requests of `spec` count
 * from the moment they are written, even while the node has not granted them.
 */
export function meanRequest(pods: readonly PodRecord[], measured: Measured): number | null {
  const requests = requestsOf(pods, measured);
  return requests.length === 0 ? null : requests.reduce((sum, request) => sum + request, 0) / requests.length;
}

/** The lower median of the pods' requests: a few pods of another size, created a moment ago, do not move it. */
export function usualRequest(pods: readonly PodRecord[], measured: Measured): number | null {
  const sorted = [...requestsOf(pods, measured)].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** The target at which the scale point stays where it was, in whole percent, as near as its bounds allow. */
export function targetFor(point: ScalePoint, request: number): number {
  const { least, greatest } = percentBounds(point);
  return Math.min(greatest, Math.max(least, Math.round((point.percent * point.request) / request)));
}

/** Between which requests the target can follow. */
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
