// What is kept of a target that Evenkeel moves: on the HPA itself, where people and an uninstall find it, written in the same
// patch as the target; and in the Recommendation's status, written before it.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { HpaRecord } from '../model/cluster-records.ts';
import { isObject, parseJson } from '../model/json.ts';
import { instantOf, isoTime } from '../model/iso-time.ts';
import type { Instant } from '../model/units.ts';
import type { Measured, ScalePoint } from './scale-point.ts';

/** A target that follows the request: where it came from, and where it was put last. */
export interface KeptTarget extends Measured, ScalePoint {
  /** In percent; the original one where it has not been moved yet. */
  readonly set: number;
}

/** What is remembered of one HPA between decisions. */
export interface AutoscalerMemory {
  readonly name: string;
  readonly targets: readonly KeptTarget[];
  /** Of the newest record that is known: one on the HPA that was issued before is outdated. null: none has been issued for these targets. */
  readonly issuedAt: Instant | null;
  /** How often in a row somebody put the original back. */
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

/** What the annotation on an HPA holds, besides its signature. */
export interface OriginalRecord {
  readonly targets: readonly KeptTarget[];
  /** Later with every record on one HPA, also where the clock was set back. */
  readonly issuedAt: Instant;
}

/** null where there is none, or none that can be read: a user may have edited it. */
export function readOriginal({ annotations }: Pick<HpaRecord, 'annotations'>): OriginalRecord | null {
  const value = parseJson(annotations[HPA_ANNOTATIONS.original] ?? '');
  const issuedAt = isObject(value) && typeof value['issuedAt'] === 'string' ? instantOf(value['issuedAt']) : null;
  return issuedAt === null ? null : { targets: targetsIn(value), issuedAt };
}

/** What a record on an HPA is signed for. */
export function originalBinding({ uid }: Pick<HpaRecord, 'uid'>): { readonly kind: string; readonly uid: string; readonly field: string } {
  return { kind: 'HorizontalPodAutoscaler', uid, field: HPA_ANNOTATIONS.original };
}

/** `{"metrics":[{"resource":"cpu","averageUtilization":60,"cpuMillicores":500,"now":85}],"issuedAt":"…"}`: 60 % was set for 500m a pod. */
export function writeOriginal({ targets, issuedAt }: OriginalRecord): string {
  return JSON.stringify({ ...metricsOf(targets), issuedAt: isoTime(issuedAt) });
}

export function parseTargets(text: string): readonly KeptTarget[] {
  return targetsIn(parseJson(text));
}

/** The same without the time, as a Recommendation keeps it. */
export function writeTargets(targets: readonly KeptTarget[]): string {
  return JSON.stringify(metricsOf(targets));
}

function metricsOf(targets: readonly KeptTarget[]): { readonly metrics: readonly object[] } {
  return {
    metrics: targets.map(({ resource, container, percent, request, set }) => ({
      resource,
      ...(container === null ? {} : { container }),
      averageUtilization: percent,
      [resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes']: request,
      now: set,
    })),
  };
}

function targetsIn(value: unknown): readonly KeptTarget[] {
  const metrics = isObject(value) ? value['metrics'] : undefined;
  return Array.isArray(metrics) ? metrics.flatMap((metric) => readTarget(metric) ?? []) : [];
}

function readTarget(metric: unknown): KeptTarget | null {
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
