import type { DurationMs, Instant } from '../../../core/model/units.ts';
import type { ContainerRuntime } from '../kubelet/container-runtime.ts';
import type { ClusterCounters, ContainerTally } from '../simulator-counters.ts';

/**
 * Books what a container used since its last evaluation: its own counters, the archive, the cluster's counters. Called
 * before its rate changes and before it stops. Allocates nothing.
 */
export function settleUsage(container: ContainerRuntime, now: Instant, counters: ClusterCounters): void {
  const spanMs: DurationMs = now - container.evaluatedAt;
  if (spanMs <= 0) return;
  const { demandMillicores, grantedMillicores } = container;
  const limit = container.limits.cpuMillicores;
  const throttledMs = limit !== null && demandMillicores > limit ? spanMs : 0;
  container.cpuCoreSeconds += (grantedMillicores * spanMs) / 1e6;
  container.throttledMs += throttledMs;
  container.evaluatedAt = now;
  const limitedMs = limit === null ? 0 : spanMs;
  const demanded = (demandMillicores * spanMs) / 1e6;
  const unmet = (Math.max(0, demandMillicores - grantedMillicores) * spanMs) / 1e6;
  book(counters, limitedMs, throttledMs, demanded, unmet);
  if (container.tally !== null) book(container.tally, limitedMs, throttledMs, demanded, unmet);
  container.archive?.record(now, spanMs, grantedMillicores, container.workingSetBytes, throttledMs);
}

function book(
  sums: ClusterCounters | ContainerTally,
  limitedMs: DurationMs,
  throttledMs: DurationMs,
  demandedCoreSeconds: number,
  unmetCoreSeconds: number,
): void {
  sums.limitedMs += limitedMs;
  sums.throttledMs += throttledMs;
  sums.demandedCoreSeconds += demandedCoreSeconds;
  sums.unmetCoreSeconds += unmetCoreSeconds;
}
