// Original values of targets that Evenkeel moves: in an annotation of the HPA, written in the same patch as the target, for users
// and uninstall; and in the status of the Recommendation, written before it.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import { isObject, parseJson } from '#kube/json';
import type { Instant } from '#kube/units';
import { readOriginalValues } from '../ownership/original-values.ts';
import { leave, take, type LiveValue, type OwnedFieldName, type OriginalValues } from '../ownership/owners.ts';
import type { Measured, ScalePoint } from './scale-point.ts';

/** A moved target: its original scale point and its last value. */
export interface RecordedTarget extends Measured, ScalePoint {
  /** Last value in percent; the original before the first move. */
  readonly set: number;
}

/** State of one HPA between decisions, in the status of the Recommendation. */
export interface AutoscalerMemory {
  readonly name: string;
  readonly targets: readonly RecordedTarget[];
  /** Time of the newest record: an earlier one on the HPA is outdated. null: there is none for these targets. */
  readonly issuedAt: Instant | null;
  /** Count of reverts in a row by another manager. */
  readonly reverts: number;
  readonly revertedAt: Instant | null;
  readonly revertedBy: string | null;
  /** Whether the target was reverted and not moved again since. */
  readonly isReverted: boolean;
  /** Time and message of the last refusal by the API server. */
  readonly refusedAt: Instant | null;
  readonly refusal: string | null;
}

/** Adds new refusals of the API server. */
export function withRefusals(
  memory: readonly AutoscalerMemory[],
  refused: readonly { readonly name: string; readonly message: string }[],
  now: Instant,
): readonly AutoscalerMemory[] {
  return memory.map((entry) => {
    const refusal = refused.find(({ name }) => name === entry.name);
    return refusal === undefined ? entry : { ...entry, refusedAt: now, refusal: refusal.message };
  });
}

/** Whether two metrics measure the same resource of the same container. */
export function isSameMeasured(a: Measured, b: Measured): boolean {
  return a.resource === b.resource && a.container === b.container;
}

/** Values of the owner keep-replicas in the annotation of an HPA. */
export interface OriginalRecord {
  readonly targets: readonly RecordedTarget[];
  /** Ascends with each record of an HPA, also after the clock was set back. */
  readonly issuedAt: Instant;
}

/** Values of keep-replicas; null: there are none, or the annotation is invalid. */
export function readOriginal({ annotations }: Pick<HpaRecord, 'annotations'>): OriginalRecord | null {
  const originals = readOriginalValues(annotations[HPA_ANNOTATIONS.original] ?? '');
  const issuedAt = originals?.takenAt.get('keep-replicas');
  if (originals === null || issuedAt === undefined) return null;
  const targets = [...originals.fields].flatMap(([field, { user, request, wants, set }]): RecordedTarget[] => {
    const measured = measuredBy(field);
    if (measured === null || request === null || user === 0 || set === 0 || !wants.has('keep-replicas')) return [];
    return [{ ...measured, percent: user, request, set }];
  });
  return { targets, issuedAt };
}

/** The annotation after keep-replicas takes these targets and leaves all others. Their scale points have the original values. */
export function withTargets(
  originals: OriginalValues,
  targets: readonly RecordedTarget[],
  hpa: Pick<HpaRecord, 'minReplicas' | 'maxReplicas' | 'resourceMetrics'>,
  at: Instant,
): OriginalValues {
  const live = liveValues(hpa);
  return targets.reduce(
    (before, target) => {
      const { percent: user, request, set: value } = target;
      const field = targetField(target);
      return take(before, { writer: 'keep-replicas', field, value, live: live(field) ?? value, at, user, request });
    },
    leave(originals, 'keep-replicas', live),
  );
}

/** Field name of a target in the annotation. */
export function targetField({ resource, container }: Measured): OwnedFieldName {
  return container === null ? resource : `${resource}/${container}`;
}

/** Current values of an HPA by field name; targets in percent. */
export function liveValues({
  minReplicas,
  maxReplicas,
  resourceMetrics,
}: Pick<HpaRecord, 'minReplicas' | 'maxReplicas' | 'resourceMetrics'>): LiveValue {
  const targets = new Map(
    resourceMetrics.flatMap((metric) => {
      const { targetUtilizationRatio: ratio } = metric;
      return ratio === null ? [] : [[targetField(metric), Math.round(ratio * 100)] as const];
    }),
  );
  return (field) => (field === 'minReplicas' ? minReplicas : field === 'maxReplicas' ? maxReplicas : (targets.get(field) ?? null));
}

/** Binding of the signature of an HPA's annotation. */
export function originalBinding({ uid }: Pick<HpaRecord, 'uid'>): { readonly kind: string; readonly uid: string; readonly field: string } {
  return { kind: 'HorizontalPodAutoscaler', uid, field: HPA_ANNOTATIONS.original };
}

/** Parses `writeTargets`; invalid targets are dropped. */
export function parseTargets(text: string): readonly RecordedTarget[] {
  return targetsIn(parseJson(text));
}

/** Format in a Recommendation: `{"metrics":[{"resource":"cpu","averageUtilization":60,"cpuMillicores":500,"now":85}]}`. */
export function writeTargets(targets: readonly RecordedTarget[]): string {
  const metrics = targets.map(({ resource, container, percent, request, set }) => ({
    resource,
    ...(container === null ? {} : { container }),
    averageUtilization: percent,
    [resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes']: request,
    now: set,
  }));
  return JSON.stringify({ metrics });
}

function measuredBy(field: OwnedFieldName): Measured | null {
  const [resource, container = null] = field.split('/');
  return resource === 'cpu' || resource === 'memory' ? { resource, container } : null;
}

function targetsIn(value: unknown): readonly RecordedTarget[] {
  const metrics = isObject(value) ? value['metrics'] : undefined;
  return Array.isArray(metrics) ? metrics.flatMap((metric) => readTarget(metric) ?? []) : [];
}

function readTarget(metric: unknown): RecordedTarget | null {
  if (!isObject(metric)) return null;
  const { resource, container, averageUtilization: percent, now: set } = metric;
  if (resource !== 'cpu' && resource !== 'memory') return null;
  const request = metric[resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes'];
  if (!isPositive(percent) || !isPositive(set) || !isPositive(request)) return null;
  return { resource, container: typeof container === 'string' ? container : null, percent, request, set };
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
