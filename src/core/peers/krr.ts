// Reimplementation of KRR's `simple` strategy from its documentation, for comparison: CPU at the 95th percentile, memory at the
// maximum and 15 % more, over 14 days. https://github.com/robusta-dev/krr

import { MiB } from '#kube/units';

const CPU_PERCENTILE = 0.95;
const MEMORY_MARGIN = 0.15;
/** Minimum recommendations: 10m and 100 MiB. */
const FLOORS = { cpu: 10, memory: 100 * MiB } as const;

/** KRR's CPU request from the window's samples (millicores); null without samples. */
export function krrCpu(samples: readonly number[]): number | null {
  if (samples.length === 0) return null;
  const sorted = samples.toSorted((a, b) => a - b);
  // Linear interpolation between two samples, like quantile_over_time of Prometheus, which KRR queries.
  const place = CPU_PERCENTILE * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? low;
  return Math.max(FLOORS.cpu, low + (high - low) * (place - Math.floor(place)));
}

/** KRR's memory request (and limit) from the window's samples (bytes); null without samples. */
export function krrMemory(samples: readonly number[]): number | null {
  if (samples.length === 0) return null;
  const peak = samples.reduce((max, sample) => Math.max(max, sample), 0);
  return Math.max(FLOORS.memory, peak * (1 + MEMORY_MARGIN));
}
