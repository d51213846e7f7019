import { DAY_MS, MiB, MINUTE_MS } from '#kube/units';
import type { DurationMs, Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';

/** A Monday, midnight UTC. */
export const MONDAY: Instant = Date.UTC(2026, 0, 5);
export const FIVE_MINUTES: DurationMs = 5 * MINUTE_MS;

/** One sample. @param memoryMiB memory in MiB; null when unmeasured */
export function aSample(at: Instant, cpuMillicores: number | null, memoryMiB: number | null): UsageSample {
  return { at, cpuMillicores, memoryBytes: memoryMiB === null ? null : memoryMiB * MiB };
}

/** A sample per 5 minutes for a number of days, from functions of the sample's index. */
export function aSeries(
  days: number,
  cpu: (index: number) => number | null,
  memoryMiB: (index: number) => number | null,
  from: Instant = MONDAY,
): UsageSample[] {
  return Array.from({ length: Math.round((days * DAY_MS) / FIVE_MINUTES) }, (_, index) =>
    aSample(from + (index + 1) * FIVE_MINUTES, cpu(index), memoryMiB(index)),
  );
}
