// Moves targets with the requests: what is followed, what that comes to for a mix of pods, and the patch that says so.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { AutoscalerMemory } from './recorded-target.ts';
import { readOriginalNote } from '../ownership/original-note.ts';
import { valueToWrite, type OriginalNote } from '../ownership/owners.ts';
import { sameMeasured, targetField, withTargets, type RecordedTarget } from './recorded-target.ts';
import { meanRequest, targetFor, type ResourceMetric } from './scale-point.ts';

/** A target that follows the request, or with `stays` is where it was set while the request is no greater. */
export interface FollowedTarget extends RecordedTarget {
  readonly stays?: boolean;
}

/** An HPA whose targets are to follow the requests of its pods. */
export interface FollowedAutoscaler {
  readonly name: string;
  readonly namespace: string;
  readonly targets: readonly FollowedTarget[];
  /** With every pod as it was when the targets were set, Evenkeel has nothing to keep of it: its record is removed. */
  readonly mayLetGo: boolean;
}

/** One target that moves. Percent. */
export interface TargetMove {
  readonly metric: ResourceMetric;
  readonly from: number;
  readonly to: number;
}

/** What is to become of one HPA: never empty of both. */
export interface AutoscalerMove {
  readonly hpa: HpaRecord;
  readonly moves: readonly TargetMove[];
  /** What keep-replicas is to have in the note afterwards; null: nothing, so that the note goes unless another writer has something in it. */
  readonly original: readonly RecordedTarget[] | null;
}

/**
 * Before requests fall the target rises, after they have grown it falls: between the two writes the autoscaler then wants
 * fewer pods at most, which its stabilization holds back, and never starts some in vain.
 */
export type FollowPhase = 'before' | 'after';

/**
 * What an HPA must say for a mix of pods; null where it says so already.
 * @param hpa as it is now
 * @param pods `before`: as they are to be; `after`: as they are
 */
export function moveFor(
  followed: FollowedAutoscaler,
  hpa: HpaRecord,
  pods: readonly PodRecord[],
  phase: FollowPhase,
): AutoscalerMove | null {
  const moves: TargetMove[] = [];
  const kept: RecordedTarget[] = [];
  let home = followed.mayLetGo && phase === 'after';
  for (const target of followed.targets) {
    const metric = hpa.resourceMetrics.find((each) => sameMeasured(each, target) && each.targetUtilizationRatio !== null);
    if (metric === undefined) continue;
    const from = Math.round((metric.targetUtilizationRatio ?? 0) * 100);
    const wanted = wantedTarget(target, pods);
    const to = phase === 'before' ? Math.max(from, wanted) : wanted;
    if (to !== from) moves.push({ metric, from, to });
    if (!isHome(target, pods)) home = false;
    kept.push({ ...target, set: to });
  }
  if (home) return moves.length > 0 || hasRecord(hpa) ? { hpa, moves, original: null } : null;
  return moves.length > 0 ? { hpa, moves, original: kept } : null;
}

/** A note of other writers alone is theirs to remove. */
function hasRecord({ annotations }: HpaRecord): boolean {
  const text = annotations[HPA_ANNOTATIONS.original];
  return text !== undefined && (readOriginalNote(text)?.takenAt.has('keep-replicas') ?? true);
}

/**
 * The move beside what other writers want of the same HPA: one that goes before keep-replicas has its value of the field.
 * @param present the note that is current on the HPA
 * @param issuedAt of what keep-replicas writes now
 */
export function composeMove(
  move: AutoscalerMove,
  present: OriginalNote,
  issuedAt: Instant,
): AutoscalerMove & { readonly note: OriginalNote } {
  const note = withTargets(present, move.original ?? [], move.hpa, issuedAt);
  const moves = move.moves.map((each) => {
    const field = targetField(each.metric);
    return note.fields.has(field) ? { ...each, to: valueToWrite(present, note, field, each.from) } : each;
  });
  return { ...move, note, moves: moves.filter(({ from, to }) => from !== to) };
}

/** In percent; without pods the last one holds. */
export function wantedTarget(target: FollowedTarget, pods: readonly PodRecord[]): number {
  const mean = meanRequest(pods, target);
  if (mean === null) return target.set;
  return target.stays === true && mean <= target.request ? target.percent : targetFor(target, mean);
}

/** Every pod asks for what the target was set for. */
export function isHome(target: RecordedTarget, pods: readonly PodRecord[]): boolean {
  return meanRequest(pods, target) === target.request;
}

/** `cpu target 60 % → 85 %` */
export function moveSummary({ moves, original }: AutoscalerMove): string {
  if (moves.length === 0) return `annotation ${HPA_ANNOTATIONS.original} ${original === null ? 'removed' : 'renewed'}`;
  return moves
    .map(({ metric, from, to }) => {
      const what = metric.container === null ? metric.resource : `${metric.resource} of ${metric.container}`;
      return `${what} target ${from} % → ${to} %`;
    })
    .join(', ');
}

/** Entries worth remembering: those of HPAs that Evenkeel has to do with. */
export function worthKeeping({ targets, reverts, refusedAt }: AutoscalerMemory): boolean {
  return targets.length > 0 || reverts > 0 || refusedAt !== null;
}
