// Stored state of an idled workload and of its last idle period. It is stored before the first change, so that a crash between
// two steps cannot lose the natural size.

import { UNSET_RESOURCES, type RequestsAndLimits } from '#kube/records/resources';
import type { DurationMs, Instant } from '#kube/units';

/** Requests and limits by container. */
export type Sizes = ReadonlyMap<string, RequestsAndLimits>;

export interface IdleMemory {
  readonly since: Instant;
  /** Size before the workload was idled, which waking restores. */
  readonly natural: Sizes;
  /** Requests while the workload is idle. Limits are not in it, because idle mode does not change them. */
  readonly sizes: Sizes;
  /** Lower bound of the recommendation for some time after waking. */
  readonly floor: Sizes;
  /** Time in which the workload was active since `floor` was recorded. */
  readonly activeMs: DurationMs;
  /** Replicas before the workload was idled. */
  readonly replicas: number;
  /** Replicas while the workload is idle; null: unchanged. */
  readonly idleReplicas: number | null;
  /** HorizontalPodAutoscaler whose minReplicas is changed instead of the replicas; null: none, or it is left unchanged. */
  readonly autoscaler: { readonly name: string; readonly minReplicas: number } | null;
  /** The idle replicas (or minReplicas) have been observed, so a later change of them is a user's decision. */
  readonly scaled: boolean;
  /** Restoration in progress; null: the workload is idle. `record`: restored from the workload's annotation alone; pods that differ from it are left unchanged. */
  readonly waking: { readonly since: Instant; readonly reason: string; readonly by: 'load' | 'record' | 'other' } | null;
  readonly wakeTriggers: string;
}

/** Content of the annotation of an idled workload, without its signature. */
export type IdleAnnotation = Pick<IdleMemory, 'since' | 'natural' | 'sizes' | 'wakeTriggers'>;

/** The last idle period, from which the next one's threshold and the floor after waking derive. */
export interface LastIdle {
  readonly since: Instant;
  readonly wokenAt: Instant;
  readonly reason: string;
  /** Consecutive idle periods that ended early; each one doubles the time until the workload is idled again. */
  readonly shortIdlePeriods: number;
  /** Time in which the workload was active between recording `floor` and `wokenAt`. */
  readonly activeMs: DurationMs;
  readonly floor: Sizes;
}

/** Values with these requests and no limits. */
export function requestsOnly(requests: RequestsAndLimits['requests']): RequestsAndLimits {
  return { requests, limits: UNSET_RESOURCES };
}
