// What is remembered of a workload that is idle, and of the last time that it was. Written down before anything is changed,
// so that a crash between any two steps loses no natural size.

import { UNSET_RESOURCES, type RequestsAndLimits } from '#kube/records/resources';
import type { DurationMs, Instant } from '#kube/units';

/** Requests and limits by container. */
export type Sizes = ReadonlyMap<string, RequestsAndLimits>;

export interface IdleMemory {
  readonly since: Instant;
  /** What it had, and is given back. */
  readonly natural: Sizes;
  /** Requests while it is idle; limits are left out: they stay. */
  readonly sizes: Sizes;
  /** What is recommended at least for a while after it wakes. */
  readonly floor: Sizes;
  /** How long it had been awake since `floor` was taken. */
  readonly activeMs: DurationMs;
  /** Replicas before it was made small. */
  readonly replicas: number;
  /** Replicas while it is idle; null: as they were. */
  readonly idleReplicas: number | null;
  /** Scaled by its minReplicas in place of the replicas; null: there is no autoscaler, or it was left alone. */
  readonly autoscaler: { readonly name: string; readonly minReplicas: number } | null;
  /** The idle replicas (or minReplicas) have been observed: a later change of them is a user's decision. */
  readonly scaled: boolean;
  /** Being brought back; null: it sleeps. `record`: the record on the workload is all that is known, and pods that are not as it says stay. */
  readonly waking: { readonly since: Instant; readonly because: string; readonly by: 'load' | 'record' | 'other' } | null;
  readonly wakeTriggers: string;
}

/** What the annotation of an idle workload holds, besides its signature. */
export type IdleNote = Pick<IdleMemory, 'since' | 'natural' | 'sizes' | 'wakeTriggers'>;

export interface LastIdle {
  readonly since: Instant;
  readonly wokenAt: Instant;
  readonly because: string;
  /** In a row. */
  readonly shortIdlePeriods: number;
  /** Awake since `floor` was taken, up to `wokenAt`. */
  readonly activeMs: DurationMs;
  readonly floor: Sizes;
}

/** Requests alone. */
export function requestsOnly(requests: RequestsAndLimits['requests']): RequestsAndLimits {
  return { requests, limits: UNSET_RESOURCES };
}
