// What the last minutes say about a limit: near it, at it, throttled by it. Old windows say nothing.

import type { ResourceName } from '#kube/records/resources';
import { HOUR_MS, MINUTE_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { WINDOW_MS, type DemandWindow } from '../../model/demand.ts';
import { THROTTLED_RATIO } from '../../model/throttled-pods.ts';

/** A working set this near to its limit is about to pass it, where it rises. */
export const NEAR_LIMIT_RATIO: Ratio = 0.92;
/** This near it need not rise to be in danger. */
const AT_LIMIT_RATIO: Ratio = 0.97;
/** CPU that is held at its limit reads a little below it: a minute's mean has its dips. */
const CPU_AT_LIMIT_RATIO: Ratio = 0.95;
/** Share of the limit by which memory has to have grown over the windows to count as rising. */
const RISING_RATIO: Ratio = 0.002;
const WINDOWS_LOOKED_AT = 3;
const WINDOWS_NEEDED = 2;
/** Samples may come every minute or, from slow sources, every few. */
const FRESH_MS: DurationMs = 5 * MINUTE_MS;
/** Nodes report page cache every five minutes. */
const CACHE_REPORTED_WITHIN_MS: DurationMs = 7 * MINUTE_MS;
/** Memory that was steady at a limit for so long without a kill is not about to pass it. */
const UNCHANGED_FOR_MS: DurationMs = 3 * HOUR_MS;
const THROTTLED_FOR_MS: DurationMs = 10 * MINUTE_MS;
const MIN_THROTTLED_WINDOWS = 3;

/** Demand as it is now: the most of the newest windows; null where nothing is known of the last minutes. */
export function demandNow(windows: readonly DemandWindow[], resource: ResourceName, now: Instant): number | null {
  const amounts = newestAmounts(windows, resource, now);
  return amounts.length === 0 ? null : Math.max(...amounts);
}

/** Whether two of the last three windows were at a limit; steady memory below it is no danger. */
export function isNearLimit(windows: readonly DemandWindow[], resource: ResourceName, limit: number, now: Instant): boolean {
  const amounts = newestAmounts(windows, resource, now);
  const [first, last] = [amounts[0], amounts.at(-1)];
  if (first === undefined || last === undefined || !(limit > 0)) return false;
  const near = resource === 'memory' ? NEAR_LIMIT_RATIO : CPU_AT_LIMIT_RATIO;
  if (amounts.filter((amount) => amount >= limit * near).length < WINDOWS_NEEDED) return false;
  if (resource === 'cpu') return true;
  return last >= limit * AT_LIMIT_RATIO || last - first >= limit * RISING_RATIO;
}

/** Whether much of the memory in use now is known to be page cache. */
export function isMostlyCache(windows: readonly DemandWindow[], now: Instant): boolean {
  const used = windows.at(-1)?.memoryBytes ?? null;
  const own = demandNow(windows, 'memory', now);
  return used !== null && own !== null && own < used * NEAR_LIMIT_RATIO;
}

/** Whether memory was steady for hours without a kill. */
export function isUsageUnchanged(stillSince: Instant | null, lastOomAt: Instant | null, now: Instant): boolean {
  return stillSince !== null && now - stillSince >= UNCHANGED_FOR_MS && (lastOomAt === null || lastOomAt < stillSince);
}

/** One replica's working set, where it alone is near a limit of its own: worth a look at the whole workload. null: it is not. */
export function pressingMemory(sample: UsageSample, limit: Bytes | null): Bytes | null {
  const memory = sample.memoryPeakBytes ?? sample.memoryBytes;
  return limit !== null && memory !== null && memory >= limit * NEAR_LIMIT_RATIO ? memory : null;
}

/** Whether CPU was throttled for more than a quarter of the time in every window of the last ten minutes. */
export function isThrottled(windows: readonly DemandWindow[], now: Instant): boolean {
  const told = windows.filter(({ at, throttledRatio }) => throttledRatio !== null && at > now - THROTTLED_FOR_MS - 2 * WINDOW_MS);
  const [first, last] = [told[0], told.at(-1)];
  if (first === undefined || last === undefined || now - last.at > FRESH_MS) return false;
  if (told.length < MIN_THROTTLED_WINDOWS || last.at + WINDOW_MS - first.at < THROTTLED_FOR_MS) return false;
  return told.every(({ throttledRatio }) => (throttledRatio ?? 0) > THROTTLED_RATIO);
}

/** Amounts of the newest windows, oldest first; none where the last is old. */
function newestAmounts(windows: readonly DemandWindow[], resource: ResourceName, now: Instant): number[] {
  const last = windows.at(-1);
  if (last === undefined || now - last.at > FRESH_MS) return [];
  const amounts: number[] = [];
  for (const window of windows.slice(-WINDOWS_LOOKED_AT)) {
    if (now - window.at > WINDOWS_LOOKED_AT * FRESH_MS) continue;
    const amount = resource === 'memory' ? memoryWithoutCache(window, windows) : window.cpuMillicores;
    if (amount !== null) amounts.push(amount);
  }
  return amounts;
}

/**
 * Page cache fills any limit and causes no kill. How much of the memory is cache is reported late: what was gained since then counts
 * as the container's own.
 */
function memoryWithoutCache({ at, memoryBytes, ownMemoryBytes }: DemandWindow, windows: readonly DemandWindow[]): number | null {
  if (memoryBytes === null || ownMemoryBytes === null || ownMemoryBytes === undefined) return memoryBytes;
  let least = memoryBytes;
  for (const each of windows) {
    const isRecent = each.at <= at && each.at > at - CACHE_REPORTED_WITHIN_MS;
    if (isRecent && each.memoryBytes !== null && each.memoryBytes < least) least = each.memoryBytes;
  }
  return Math.min(memoryBytes, ownMemoryBytes + memoryBytes - least);
}
