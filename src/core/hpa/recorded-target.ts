// What is kept of a target that Evenkeel moves: on the HPA itself, where people and an uninstall find it, written in the same
// patch as the target; and in the Recommendation's status, written before it.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import { isObject, parseJson } from '#kube/json';
import type { Instant } from '#kube/units';
import { readOriginalNote } from '../ownership/original-note.ts';
import { leave, take, type LiveValue, type NoteField, type OriginalNote } from '../ownership/owners.ts';
import type { Measured, ScalePoint } from './scale-point.ts';

/** A target that follows the request: where it came from, and where it was put last. */
export interface RecordedTarget extends Measured, ScalePoint {
  /** In percent; the original one where it has not been moved yet. */
  readonly set: number;
}

/** What is remembered of one HPA between decisions. */
export interface AutoscalerMemory {
  readonly name: string;
  readonly targets: readonly RecordedTarget[];
  /** Of the newest record that is known: one on the HPA that was issued before is outdated. null: none has been issued for these targets. */
  readonly issuedAt: Instant | null;
  /** How often in a row another writer restored the original. */
  readonly reverts: number;
  readonly revertedAt: Instant | null;
  readonly revertedBy: string | null;
  /** The original is back, and Evenkeel has not (yet) moved it again. */
  readonly isReverted: boolean;
  /** When the API server last refused to move a target, and its words. */
  readonly refusedAt: Instant | null;
  readonly refusal: string | null;
}

/** With what the API server refused a moment ago. */
export function withRefusals(
  memory: readonly AutoscalerMemory[],
  refused: readonly { readonly name: string; readonly message: string }[],
  now: Instant,
): readonly AutoscalerMemory[] {
  return memory.map((each) => {
    const refusal = refused.find(({ name }) => name === each.name);
    return refusal === undefined ? each : { ...each, refusedAt: now, refusal: refusal.message };
  });
}

export function sameMeasured(a: Measured, b: Measured): boolean {
  return a.resource === b.resource && a.container === b.container;
}

/** What keep-replicas has in the note on an HPA. */
export interface OriginalRecord {
  readonly targets: readonly RecordedTarget[];
  /** Later with every record on one HPA, also where the clock was set back. */
  readonly issuedAt: Instant;
}

/** null where there is none, or no note that can be read: a user may have edited it. */
export function readOriginal({ annotations }: Pick<HpaRecord, 'annotations'>): OriginalRecord | null {
  const note = readOriginalNote(annotations[HPA_ANNOTATIONS.original] ?? '');
  const issuedAt = note?.takenAt.get('keep-replicas');
  if (note === null || issuedAt === undefined) return null;
  const targets = [...note.fields].flatMap(([field, { user, request, wants, set }]): RecordedTarget[] => {
    const measured = measuredBy(field);
    if (measured === null || request === null || user === 0 || set === 0 || !wants.has('keep-replicas')) return [];
    return [{ ...measured, percent: user, request, set }];
  });
  return { targets, issuedAt };
}

/** The note once keep-replicas has these targets, and no others. Their original values are known from the scale point. */
export function withTargets(
  note: OriginalNote,
  targets: readonly RecordedTarget[],
  hpa: Pick<HpaRecord, 'minReplicas' | 'maxReplicas' | 'resourceMetrics'>,
  at: Instant,
): OriginalNote {
  const live = liveValues(hpa);
  return targets.reduce(
    (before, target) => {
      const { percent: user, request, set: value } = target;
      const field = targetField(target);
      return take(before, { writer: 'keep-replicas', field, value, live: live(field) ?? value, at, user, request });
    },
    leave(note, 'keep-replicas', live),
  );
}

/** How the note names a target. */
export function targetField({ resource, container }: Measured): NoteField {
  return container === null ? resource : `${resource}/${container}`;
}

/** What an HPA has of each field of its note; targets in percent. */
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

/** What a record on an HPA is signed for. */
export function originalBinding({ uid }: Pick<HpaRecord, 'uid'>): { readonly kind: string; readonly uid: string; readonly field: string } {
  return { kind: 'HorizontalPodAutoscaler', uid, field: HPA_ANNOTATIONS.original };
}

export function parseTargets(text: string): readonly RecordedTarget[] {
  return targetsIn(parseJson(text));
}

/** As a Recommendation keeps them: `{"metrics":[{"resource":"cpu","averageUtilization":60,"cpuMillicores":500,"now":85}]}`. */
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

function measuredBy(field: NoteField): Measured | null {
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
