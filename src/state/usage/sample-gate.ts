import type { DurationMs, Instant } from '#kube/units';
import type { Resources } from '#kube/records/resources';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';

/** Tolerated clock skew of samples in the future. */
export const FUTURE_ALLOWED_MS: DurationMs = 60_000;
/** Number of samples to compare: a wrong clock affects all of them. */
const COMPARED_SAMPLES = 100;
/** More than any machine has: the counter is broken. */
const MAX_MILLICORES = 10_000_000;
const MAX_BYTES = 2 ** 50;
/** Tolerance of CPU above the node's capacity: jitter of the measured interval increases the rate. */
const CPU_MARGIN = 2;

/** How far all samples of a node are in the future; null: within the tolerance, or no samples. */
export function findClockLead(samples: readonly Pick<UsageSample, 'at'>[], now: Instant): DurationMs | null {
  const ahead = Math.min(...samples.slice(0, COMPARED_SAMPLES).map(({ at }) => at - now));
  return samples.length > 0 && ahead > FUTURE_ALLOWED_MS ? ahead : null;
}

/**
 * Converts a sample to the controller's clock. A sample in the future within the tolerance becomes current, since the next one
 * would be out of order otherwise; `faultOfSample` refuses samples further in the future.
 *
 * @param offsetMs correction of the node's times
 */
export function correctedSample<S extends UsageSample>(sample: S, offsetMs: DurationMs, now: Instant): S {
  const corrected = sample.at + offsetMs;
  const at = corrected > now && corrected <= now + FUTURE_ALLOWED_MS ? now : corrected;
  return at === sample.at ? sample : { ...sample, at, clockOffsetMs: at - sample.at };
}

/**
 * Why a sample is dropped: `nan`, `negative`, `future`, `out-of-order`, `absurd`, `empty`; null: valid.
 *
 * @param capacity of the node, which bounds usage; null: unknown
 */
export function faultOfSample(
  sample: UsageSample,
  now: Instant,
  previous: Pick<UsageSample, 'at' | 'clockOffsetMs'> | null,
  capacity: Resources | null,
): string | null {
  const { at, cpuMillicores, memoryBytes } = sample;
  if (!Number.isFinite(at)) return 'nan';
  if (at > now + FUTURE_ALLOWED_MS) return 'future';
  if (previous !== null && isNotNewer(sample, previous, now)) return 'out-of-order';
  if (cpuMillicores === null && memoryBytes === null) return 'empty';
  const maxMillicores = boundOf(CPU_MARGIN * (capacity?.cpuMillicores ?? 0), MAX_MILLICORES);
  return faultOfValue(cpuMillicores, maxMillicores) ?? faultOfValue(memoryBytes, boundOf(capacity?.memoryBytes ?? 0, MAX_BYTES));
}

/** @param nodeCapacity 0: the node reports no capacity */
function boundOf(nodeCapacity: number, maxOfMachine: number): number {
  return nodeCapacity > 0 ? Math.min(nodeCapacity, maxOfMachine) : maxOfMachine;
}

// A repeated node time is an old measurement, also with another correction. A previous sample in the future is ignored, because the
// clock was set back since.
function isNotNewer(sample: UsageSample, previous: Pick<UsageSample, 'at' | 'clockOffsetMs'>, now: Instant): boolean {
  return nodeTimeOf(sample) === nodeTimeOf(previous) || (sample.at <= previous.at && previous.at <= now + FUTURE_ALLOWED_MS);
}

function faultOfValue(value: number | null, max: number): string | null {
  if (value === null) return null;
  if (Number.isNaN(value)) return 'nan';
  if (value < 0) return 'negative';
  return value > max ? 'absurd' : null;
}
