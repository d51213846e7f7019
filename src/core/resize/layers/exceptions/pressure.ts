// Whether usage of the last minutes is near a limit, or throttled by it. Old windows are ignored.

import type { ResourceName } from '#kube/records/resources';
import { HOUR_MS, MINUTE_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { WINDOW_MS, type DemandWindow } from '../../model/evidence/demand.ts';
import { THROTTLED_RATIO } from '../../model/evidence/throttled-pods.ts';

/** A rising working set above this share of its limit is about to exceed it. */
export const NEAR_LIMIT_RATIO: Ratio = 0.92;
/** Above this share also a steady working set counts as near the limit. */
const AT_LIMIT_RATIO: Ratio = 0.97;
/** CPU usage from this share of its limit on counts as at the limit: the mean of a minute is slightly lower. */
const CPU_AT_LIMIT_RATIO: Ratio = 0.95;
/** Growth over the windows, as a share of the limit, from which memory counts as rising. */
const RISING_RATIO: Ratio = 0.002;
const CONSIDERED_WINDOWS = 3;
const WINDOWS_NEEDED = 2;
/** Maximum age of the newest window: slow sources report every few minutes. */
const FRESH_MS: DurationMs = 5 * MINUTE_MS;
/** Maximum age of a report of page cache, which nodes make every five minutes. */
const CACHE_REPORTED_WITHIN_MS: DurationMs = 7 * MINUTE_MS;
/** Memory that was steady for this long without an OOM kill is not about to exceed its limit. */
const UNCHANGED_FOR_MS: DurationMs = 3 * HOUR_MS;
const THROTTLED_FOR_MS: DurationMs = 10 * MINUTE_MS;
const MIN_THROTTLED_WINDOWS = 3;

/** Present demand: the maximum of the newest windows; null without recent windows. */
export function demandNow(windows: readonly DemandWindow[], resource: ResourceName, now: Instant): number | null {
  const amounts = newestAmounts(windows, resource, now);
  return amounts.length === 0 ? null : Math.max(...amounts);
}

/** Whether at least two of the last three windows were near a limit. Steady memory below it does not count. */
export function isNearLimit(windows: readonly DemandWindow[], resource: ResourceName, limit: number, now: Instant): boolean {
  const amounts = newestAmounts(windows, resource, now);
  const [first, last] = [amounts[0], amounts.at(-1)];
  if (first === undefined || last === undefined || !(limit > 0)) return false;
  const near = resource === 'memory' ? NEAR_LIMIT_RATIO : CPU_AT_LIMIT_RATIO;
  if (amounts.filter((amount) => amount >= limit * near).length < WINDOWS_NEEDED) return false;
  if (resource === 'cpu') return true;
  return last >= limit * AT_LIMIT_RATIO || last - first >= limit * RISING_RATIO;
}

/** Whether much of the present memory is page cache. */
export function isMostlyCache(windows: readonly DemandWindow[], now: Instant): boolean {
  const used = windows.at(-1)?.memoryBytes ?? null;
  const unreclaimable = demandNow(windows, 'memory', now);
  return used !== null && unreclaimable !== null && unreclaimable < used * NEAR_LIMIT_RATIO;
}

/** Whether memory was steady for 3 hours without an OOM kill. */
export function isUsageUnchanged(stillSince: Instant | null, lastOomAt: Instant | null, now: Instant): boolean {
  return stillSince !== null && now - stillSince >= UNCHANGED_FOR_MS && (lastOomAt === null || lastOomAt < stillSince);
}

/** Working set of a sample that is near the limit, which triggers a decision about the workload; null: it is not near. */
export function pressingMemory(sample: UsageSample, limit: Bytes | null): Bytes | null {
  const memory = sample.memoryPeakBytes ?? sample.memoryBytes;
  return limit !== null && memory !== null && memory >= limit * NEAR_LIMIT_RATIO ? memory : null;
}

/** Whether CPU was throttled for more than a quarter of the time in every window of the last ten minutes. */
export function isThrottled(windows: readonly DemandWindow[], now: Instant): boolean {
  const measured = windows.filter(({ at, throttledRatio }) => throttledRatio !== null && at > now - THROTTLED_FOR_MS - 2 * WINDOW_MS);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined || now - last.at > FRESH_MS) return false;
  if (measured.length < MIN_THROTTLED_WINDOWS || last.at + WINDOW_MS - first.at < THROTTLED_FOR_MS) return false;
  return measured.every(({ throttledRatio }) => (throttledRatio ?? 0) > THROTTLED_RATIO);
}

/** Amounts of the newest windows, oldest first; empty where the last one is old. */
function newestAmounts(windows: readonly DemandWindow[], resource: ResourceName, now: Instant): number[] {
  const last = windows.at(-1);
  if (last === undefined || now - last.at > FRESH_MS) return [];
  const amounts: number[] = [];
  for (const window of windows.slice(-CONSIDERED_WINDOWS)) {
    if (now - window.at > CONSIDERED_WINDOWS * FRESH_MS) continue;
    const amount = resource === 'memory' ? memoryWithoutCache(window, windows) : window.cpuMillicores;
    if (amount !== null) amounts.push(amount);
  }
  return amounts;
}

/**
 * Memory without page cache, which fills any limit and causes no OOM kill. Cache is reported late, so growth since the report counts as
 * unreclaimable.
 */
function memoryWithoutCache({ at, memoryBytes, unreclaimableBytes }: DemandWindow, windows: readonly DemandWindow[]): number | null {
  if (memoryBytes === null || unreclaimableBytes === null || unreclaimableBytes === undefined) return memoryBytes;
  let least = memoryBytes;
  for (const each of windows) {
    const isRecent = each.at <= at && each.at > at - CACHE_REPORTED_WITHIN_MS;
    if (isRecent && each.memoryBytes !== null && each.memoryBytes < least) least = each.memoryBytes;
  }
  return Math.min(memoryBytes, unreclaimableBytes + memoryBytes - least);
}
