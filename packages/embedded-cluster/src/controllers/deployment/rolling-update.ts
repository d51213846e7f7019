// The arithmetic of a rolling update. Pure: replica counts in, replica counts out.
// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment

import { resolveCount } from '../int-or-percent.ts';
import type { RollingUpdate } from '../wire/workload.ts';

/** Bounds of a rollout around the requested replicas. */
export interface RolloutBounds {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Requested and available replicas of one ReplicaSet. */
export interface RevisionSize {
  readonly name: string;
  readonly replicas: number;
  readonly available: number;
}

/**
 * Surge rounds up and unavailability down; when both are 0, one pod may be unavailable, because otherwise the rollout could not proceed.
 */
export function rolloutBounds(replicas: number, settings: RollingUpdate | undefined): RolloutBounds {
  const maxSurge = resolveCount(settings?.maxSurge ?? '25%', replicas, 'up') ?? 0;
  const maxUnavailable = resolveCount(settings?.maxUnavailable ?? '25%', replicas, 'down') ?? 0;
  const stuck = maxSurge === 0 && maxUnavailable === 0;
  return { replicas, maxSurge, maxUnavailable: stuck ? 1 : Math.min(maxUnavailable, replicas) };
}

/** Allowed size of the new revision, given the total of `total` requested pods over all revisions. */
export function newRevisionReplicas(bounds: RolloutBounds, current: number, total: number): number {
  if (current >= bounds.replicas) return bounds.replicas;
  const room = bounds.replicas + bounds.maxSurge - total;
  return room <= 0 ? current : current + Math.min(room, bounds.replicas - current);
}

/**
 * Allowed sizes of the old revisions (oldest first). Unavailable pods are removed first, because they cost no availability; then available
 * ones, as long as enough remain.
 */
export function oldRevisionReplicas(bounds: RolloutBounds, fresh: RevisionSize, old: readonly RevisionSize[]): ReadonlyMap<string, number> {
  const sizes = new Map(old.map(({ name, replicas }) => [name, replicas]));
  const minAvailable = bounds.replicas - bounds.maxUnavailable;
  const total = fresh.replicas + sum(old.map(({ replicas }) => replicas));
  let removable = total - minAvailable - Math.max(0, fresh.replicas - fresh.available);
  if (removable <= 0) return sizes;

  for (const { name, replicas, available } of old) {
    const unhealthy = Math.min(removable, Math.max(0, replicas - available));
    sizes.set(name, replicas - unhealthy);
    removable -= unhealthy;
  }

  let spare = fresh.available + sum(old.map(({ available }) => available)) - minAvailable;
  for (const { name } of old) {
    const replicas = sizes.get(name) ?? 0;
    const taken = Math.max(0, Math.min(replicas, spare));
    sizes.set(name, replicas - taken);
    spare -= taken;
  }
  return sizes;
}

/** Share of one ReplicaSet in a scale during a rollout. */
export interface ProportionalShare {
  readonly name: string;
  readonly replicas: number;
  /** Maximum number of pods of the Deployment when this size was set (annotation `max-replicas`). */
  readonly maxReplicasBefore: number;
}

/**
 * Distributes a change of the Deployment's size over its revisions in proportion, so that scaling during a rollout neither accelerates nor
 * reverts it. The largest revision takes the rounding remainder. @param shares the largest first
 */
export function proportionalReplicas(bounds: RolloutBounds, shares: readonly ProportionalShare[]): ReadonlyMap<string, number> {
  const allowed = bounds.replicas > 0 ? bounds.replicas + bounds.maxSurge : 0;
  const toAdd = allowed - sum(shares.map(({ replicas }) => replicas));
  const sizes = new Map<string, number>();
  let added = 0;
  for (const share of shares) {
    const part = toAdd === 0 || share.replicas === 0 ? 0 : proportion(bounds, share, toAdd - added);
    sizes.set(share.name, share.replicas + part);
    added += part;
  }
  const [largest] = shares;
  if (largest !== undefined) sizes.set(largest.name, Math.max(0, (sizes.get(largest.name) ?? 0) + toAdd - added));
  return sizes;
}

function proportion(bounds: RolloutBounds, { replicas, maxReplicasBefore }: ProportionalShare, left: number): number {
  if (left === 0) return 0;
  const wanted = bounds.replicas === 0 ? 0 : Math.round((replicas * (bounds.replicas + bounds.maxSurge)) / Math.max(1, maxReplicasBefore));
  const part = wanted - replicas;
  return left > 0 ? Math.max(0, Math.min(part, left)) : Math.min(0, Math.max(part, left));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
