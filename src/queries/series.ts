import type { Series, SeriesSet } from '../apis/http/types.generated.ts';
import type { Instant } from '#kube/units';
import { isoTime } from '#kube/time/iso-time';
import { endOfLastStep, type TimeRange } from './time-range.ts';

/** One value at one moment; null where it was unknown. */
export interface Sample {
  readonly at: Instant;
  readonly value: number | null;
}

/** Past samples, with the present one in the last step where that has none: a new cluster has no complete step yet. */
export function appendPresent<S extends { readonly at: Instant }>(range: TimeRange, past: readonly S[], present: S): readonly S[] {
  return past.some(({ at }) => at >= range.end && at < endOfLastStep(range)) ? past : [...past, present];
}

/** A series before it is divided into steps. */
export interface Line {
  readonly name: string;
  readonly unit: 'millicores' | 'bytes' | 'count' | 'ratio';
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: Iterable<Sample>;
}

/** The series of all lines: the mean of each step's samples, null where a step has none. */
export function seriesSet(range: TimeRange, lines: readonly Line[]): SeriesSet {
  return {
    start: isoTime(range.start),
    end: isoTime(range.end),
    stepSeconds: range.stepMs / 1000,
    series: lines.map((line) => seriesOf(range, line)),
  };
}

function seriesOf(range: TimeRange, line: Line): Series {
  const steps = Math.floor((range.end - range.start) / range.stepMs) + 1;
  const sums = new Float64Array(steps);
  const counts = new Uint32Array(steps);
  for (const { at, value } of line.samples) {
    const step = Math.floor((at - range.start) / range.stepMs);
    if (value === null || step < 0 || step >= steps) continue;
    sums[step] = (sums[step] ?? 0) + value;
    counts[step] = (counts[step] ?? 0) + 1;
  }
  const points = Array.from({ length: steps }, (_, step): [number, number | null] => {
    const count = counts[step] ?? 0;
    const mean = count === 0 ? null : Math.round(((sums[step] ?? 0) / count) * 100) / 100;
    return [(range.start + step * range.stepMs) / 1000, mean];
  });
  return { name: line.name, unit: line.unit, labels: line.labels, points };
}
