// Decodes and validates answers of the Prometheus API, which are untrusted input.

import { SECOND_MS, type Instant } from '#kube/units';
import { PrometheusFailure } from './failure.ts';

export type LabelSet = Readonly<Record<string, string>>;

export interface InstantSample {
  readonly labels: LabelSet;
  readonly value: number;
}

/** Points ascend in time. NaN and infinities are omitted, since they mean no value. */
export interface RangeSeries {
  readonly labels: LabelSet;
  readonly points: readonly { readonly at: Instant; readonly value: number }[];
}

/** Decodes an instant vector. @throws PrometheusFailure `malformed` */
export function readVector(data: unknown): InstantSample[] {
  return resultOf(data, 'vector').map((entry) => {
    const { metric, value } = entry as { readonly metric?: unknown; readonly value?: unknown };
    return { labels: labelsOf(metric), value: pointOf(value).value };
  });
}

/** Decodes a range matrix. @throws PrometheusFailure `malformed` */
export function readMatrix(data: unknown): RangeSeries[] {
  return resultOf(data, 'matrix').map((entry) => {
    const { metric, values } = entry as { readonly metric?: unknown; readonly values?: unknown };
    // A series with only native histograms has no `values`.
    const points = (Array.isArray(values) ? values : []).map(pointOf).filter(({ value }) => Number.isFinite(value));
    return { labels: labelsOf(metric), points };
  });
}

export function readLabelNames(data: unknown): ReadonlySet<string> {
  return new Set(arrayOf(data).map(textOf));
}

export function readSeries(data: unknown): LabelSet[] {
  return arrayOf(data).map(labelsOf);
}

function resultOf(data: unknown, type: 'vector' | 'matrix'): readonly unknown[] {
  const { resultType, result } = (data ?? {}) as { readonly resultType?: unknown; readonly result?: unknown };
  if (resultType !== type) throw malformed(`expected a ${type}, got ${String(resultType).slice(0, 40)}`);
  return arrayOf(result);
}

function arrayOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed('a list is missing');
  return value;
}

function labelsOf(metric: unknown): LabelSet {
  if (metric === null || typeof metric !== 'object' || Array.isArray(metric)) throw malformed('labels are missing');
  for (const value of Object.values(metric)) textOf(value);
  return metric as LabelSet;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a label is not a string');
  return value;
}

/** `[seconds, "value"]`, with the value as text, including NaN, +Inf and -Inf. */
function pointOf(point: unknown): { readonly at: Instant; readonly value: number } {
  if (!Array.isArray(point) || typeof point[0] !== 'number' || typeof point[1] !== 'string')
    throw malformed('a point is not [time, "value"]');
  const [time, text] = point as [number, string];
  const value = text.endsWith('Inf') ? Infinity : Number(text);
  return { at: Math.round(time * SECOND_MS), value };
}

function malformed(why: string): PrometheusFailure {
  return new PrometheusFailure('malformed', `the answer is not of the Prometheus API: ${why}`);
}
