// Moves the utilization targets of HPAs with the requests, so that the load per pod stays the same.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { AutoscalerMemory } from './recorded-target.ts';
import { readOriginalValues } from '../ownership/original-values.ts';
import { valueToWrite, type OriginalValues } from '../ownership/owners.ts';
import { isSameMeasured, targetField, withTargets, type RecordedTarget } from './recorded-target.ts';
import { meanRequest, targetFor, type ResourceMetric } from './scale-point.ts';

/** A target that follows the request. With `stays` it stays at the original while the request is not higher. */
export interface FollowedTarget extends RecordedTarget {
  readonly stays?: boolean;
}

/** An HPA whose targets follow the requests of its pods. */
export interface FollowedAutoscaler {
  readonly name: string;
  readonly namespace: string;
  readonly targets: readonly FollowedTarget[];
  /** Whether the record is removed once every pod has the original request. */
  readonly canRemoveRecord: boolean;
}

/** Change of one target, in percent. */
export interface TargetMove {
  readonly metric: ResourceMetric;
  readonly from: number;
  readonly to: number;
}

/** Change of one HPA: of its targets, its record, or both. */
export interface AutoscalerMove {
  readonly hpa: HpaRecord;
  readonly moves: readonly TargetMove[];
  /** Values of keep-replicas in the annotation afterwards; null: none, and the annotation is removed unless it has another owner. */
  readonly original: readonly RecordedTarget[] | null;
}

/**
 * The target rises before requests fall, and falls after they rise. Between the two writes the HPA can only want fewer pods,
 * which its stabilization window delays, and never starts pods in vain.
 */
export type FollowPhase = 'before' | 'after';

/**
 * Change of an HPA for a set of pods, whose requests may differ; null: none.
 * @param hpa current state
 * @param pods `before`: with their future requests; `after`: with their current ones
 */
export function moveFor(
  followed: FollowedAutoscaler,
  hpa: HpaRecord,
  pods: readonly PodRecord[],
  phase: FollowPhase,
): AutoscalerMove | null {
  const moves: TargetMove[] = [];
  const recorded: RecordedTarget[] = [];
  let isBack = followed.canRemoveRecord && phase === 'after';
  for (const target of followed.targets) {
    const metric = hpa.resourceMetrics.find((candidate) => isSameMeasured(candidate, target) && candidate.targetUtilizationRatio !== null);
    if (metric === undefined) continue;
    const from = Math.round((metric.targetUtilizationRatio ?? 0) * 100);
    const desired = wantedTarget(target, pods);
    const to = phase === 'before' ? Math.max(from, desired) : desired;
    if (to !== from) moves.push({ metric, from, to });
    if (!hasOriginalRequest(target, pods)) isBack = false;
    recorded.push({ ...target, set: to });
  }
  if (isBack) return moves.length > 0 || hasRecord(hpa) ? { hpa, moves, original: null } : null;
  return moves.length > 0 ? { hpa, moves, original: recorded } : null;
}

/** Whether the HPA has a record of keep-replicas; an annotation of other owners only is not removed here. */
function hasRecord({ annotations }: HpaRecord): boolean {
  const text = annotations[HPA_ANNOTATIONS.original];
  return text !== undefined && (readOriginalValues(text)?.takenAt.has('keep-replicas') ?? true);
}

/**
 * Combines the move with the values of other owners of the HPA: an owner of higher priority than keep-replicas has its value.
 * @param present the valid annotation of the HPA
 * @param issuedAt time of the new record of keep-replicas
 */
export function composeMove(
  move: AutoscalerMove,
  present: OriginalValues,
  issuedAt: Instant,
): AutoscalerMove & { readonly originals: OriginalValues } {
  const originals = withTargets(present, move.original ?? [], move.hpa, issuedAt);
  const moves = move.moves.map((targetMove) => {
    const field = targetField(targetMove.metric);
    return originals.fields.has(field) ? { ...targetMove, to: valueToWrite(present, originals, field, targetMove.from) } : targetMove;
  });
  return { ...move, originals, moves: moves.filter(({ from, to }) => from !== to) };
}

/** Target in percent for the requests of the pods; without pods the last one. */
export function wantedTarget(target: FollowedTarget, pods: readonly PodRecord[]): number {
  const mean = meanRequest(pods, target);
  if (mean === null) return target.set;
  return target.stays === true && mean <= target.request ? target.percent : targetFor(target, mean);
}

/** Whether the mean request of the pods is the one of the original target. */
export function hasOriginalRequest(target: RecordedTarget, pods: readonly PodRecord[]): boolean {
  return meanRequest(pods, target) === target.request;
}

/** Summary of a move: `cpu target 60 % → 85 %`. */
export function moveSummary({ moves, original }: AutoscalerMove): string {
  if (moves.length === 0) return `annotation ${HPA_ANNOTATIONS.original} ${original === null ? 'removed' : 'renewed'}`;
  return moves
    .map(({ metric, from, to }) => {
      const subject = metric.container === null ? metric.resource : `${metric.resource} of ${metric.container}`;
      return `${subject} target ${from} % → ${to} %`;
    })
    .join(', ');
}

/** Whether the status needs the entry: the HPA has moved targets, reverts or a refusal. */
export function isWorthStoring({ targets, reverts, refusedAt }: AutoscalerMemory): boolean {
  return targets.length > 0 || reverts > 0 || refusedAt !== null;
}
