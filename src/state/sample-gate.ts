import type { DurationMs, Instant } from '../core/model/units.ts';
import type { UsageSample } from '../core/model/usage.ts';

/** Clocks of nodes differ a little; a sample from further ahead is wrong. */
const FUTURE_ALLOWED_MS: DurationMs = 60_000;
/** More than any machine has: a value beyond is a broken counter. */
const MOST_MILLICORES = 10_000_000;
const MOST_BYTES = 2 ** 50;

/** Why a sample is thrown away: `nan`, `negative`, `future`, `out-of-order`, `absurd`, `empty`; null where it is good. */
export function faultOfSample(sample: UsageSample, now: Instant, previousAt: Instant | null): string | null {
  const { at, cpuMillicores, memoryBytes } = sample;
  if (!Number.isFinite(at)) return 'nan';
  if (at > now + FUTURE_ALLOWED_MS) return 'future';
  if (previousAt !== null && at <= previousAt) return 'out-of-order';
  if (cpuMillicores === null && memoryBytes === null) return 'empty';
  return faultOfValue(cpuMillicores, MOST_MILLICORES) ?? faultOfValue(memoryBytes, MOST_BYTES);
}

function faultOfValue(value: number | null, most: number): string | null {
  if (value === null) return null;
  if (Number.isNaN(value)) return 'nan';
  if (value < 0) return 'negative';
  return value > most ? 'absurd' : null;
}
