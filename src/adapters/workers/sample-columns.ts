// Samples as columns: to copy an object between threads costs several times as much as to copy its numbers.

import type { UsageSample } from '#kube/records/usage';
import type { RecommenderUpdate } from '../../core/recommender/recommender-service.ts';

export type SampleUpdate = Extract<RecommenderUpdate, { readonly kind: 'sample' }>;

/** Names by sample, and `WIDTH` values for each. */
export interface SampleColumns {
  readonly workloads: readonly string[];
  readonly containers: readonly string[];
  readonly pods: readonly string[];
  /** NaN: null. */
  readonly values: Float64Array<ArrayBuffer>;
}

/** Every value of a sample, by its column. The type finds one that is missing. */
const COLUMNS: Readonly<Record<keyof UsageSample, number>> = {
  at: 0,
  clockOffsetMs: 1,
  cpuMillicores: 2,
  memoryBytes: 3,
  cpuPeakMillicores: 4,
  memoryPeakBytes: 5,
  memoryRssBytes: 6,
  throttledRatio: 7,
  throttledSpanMs: 8,
  oomEvents: 9,
  startedAt: 10,
  cpuPressureRatio: 11,
  memoryPressureRatio: 12,
};
const FIELDS = Object.keys(COLUMNS) as readonly (keyof UsageSample)[];
const WIDTH = FIELDS.length;

export function encodeSamples(updates: readonly SampleUpdate[]): SampleColumns {
  const values = new Float64Array(updates.length * WIDTH);
  let next = 0;
  for (const { sample } of updates) for (const field of FIELDS) values[next++] = sample[field] ?? Number.NaN;
  return {
    workloads: updates.map(({ workload }) => workload),
    containers: updates.map(({ container }) => container),
    pods: updates.map(({ pod }) => pod),
    values,
  };
}

/** The inverse of `encodeSamples`, with null for what was absent. */
export function decodeSamples({ workloads, containers, pods, values }: SampleColumns): readonly SampleUpdate[] {
  return workloads.map((workload, index) => {
    const row = index * WIDTH;
    const valueOf = (field: keyof UsageSample): number | null => {
      const value = values[row + COLUMNS[field]] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    };
    const sample = {
      at: valueOf('at') ?? Number.NaN,
      clockOffsetMs: valueOf('clockOffsetMs'),
      cpuMillicores: valueOf('cpuMillicores'),
      memoryBytes: valueOf('memoryBytes'),
      cpuPeakMillicores: valueOf('cpuPeakMillicores'),
      memoryPeakBytes: valueOf('memoryPeakBytes'),
      memoryRssBytes: valueOf('memoryRssBytes'),
      throttledRatio: valueOf('throttledRatio'),
      throttledSpanMs: valueOf('throttledSpanMs'),
      oomEvents: valueOf('oomEvents'),
      startedAt: valueOf('startedAt'),
      cpuPressureRatio: valueOf('cpuPressureRatio'),
      memoryPressureRatio: valueOf('memoryPressureRatio'),
    };
    return { kind: 'sample', workload, container: containers[index] ?? '', pod: pods[index] ?? '', sample };
  });
}
