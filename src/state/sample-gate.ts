import type { DurationMs, Instant } from '#kube/units';
import type { Resources } from '#kube/records/resources';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';

/** Clocks of nodes differ a little; a sample from further ahead is wrong. */
export const FUTURE_ALLOWED_MS: DurationMs = 60_000;
/** A clock is wrong for all of them alike. */
const LOOKED_AT = 100;
/** More than any machine has: a value beyond is a broken counter. */
const MAX_MILLICORES = 10_000_000;
const MOST_BYTES = 2 ** 50;
/** CPU is a rate between two times that the kubelet measured: jitter of these may make it greater than what the node has. */
const CPU_MARGIN = 2;

/** By how much everything that a node tells is ahead of now; null: it is not, or nothing is told. */
export function aheadOfNow(samples: readonly Pick<UsageSample, 'at'>[], now: Instant): DurationMs | null {
  const ahead = Math.min(...samples.slice(0, LOOKED_AT).map(({ at }) => at - now));
  return samples.length > 0 && ahead > FUTURE_ALLOWED_MS ? ahead : null;
}

/**
 * A sample by the controller's clock, and one within the tolerance ahead of now as of now: the next in time would be out of order
 * otherwise. One from further ahead is left for `faultOfSample` to refuse.
 *
 * @param offsetMs what is to be added to the times of its node
 */
export function correctedSample<S extends UsageSample>(sample: S, offsetMs: DurationMs, now: Instant): S {
  const corrected = sample.at + offsetMs;
  const at = corrected > now && corrected <= now + FUTURE_ALLOWED_MS ? now : corrected;
  return at === sample.at ? sample : { ...sample, at, clockOffsetMs: at - sample.at };
}

/**
 * Why a sample is thrown away: `nan`, `negative`, `future`, `out-of-order`, `absurd`, `empty`; null where it is good.
 *
 * @param capacity of the node: nothing on it uses more. null: not known
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
  if (previous !== null && isNoNewer(sample, previous, now)) return 'out-of-order';
  if (cpuMillicores === null && memoryBytes === null) return 'empty';
  const maxMillicores = boundOf(CPU_MARGIN * (capacity?.cpuMillicores ?? 0), MAX_MILLICORES);
  return faultOfValue(cpuMillicores, maxMillicores) ?? faultOfValue(memoryBytes, boundOf(capacity?.memoryBytes ?? 0, MOST_BYTES));
}

/** @param ofNode 0: the node reports no capacity */
function boundOf(ofNode: number, ofAnyMachine: number): number {
  return ofNode > 0 ? Math.min(ofNode, ofAnyMachine) : ofAnyMachine;
}

// A time that the node repeats is of an old measurement, whatever is added to it by now. A sample before that stands ahead of now
// is of a clock that was set back since.
function isNoNewer(sample: UsageSample, previous: Pick<UsageSample, 'at' | 'clockOffsetMs'>, now: Instant): boolean {
  return nodeTimeOf(sample) === nodeTimeOf(previous) || (sample.at <= previous.at && previous.at <= now + FUTURE_ALLOWED_MS);
}

function faultOfValue(value: number | null, most: number): string | null {
  if (value === null) return null;
  if (Number.isNaN(value)) return 'nan';
  if (value < 0) return 'negative';
  return value > most ? 'absurd' : null;
}
