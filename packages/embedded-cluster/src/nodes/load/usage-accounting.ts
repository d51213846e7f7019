import type { DurationMs, Instant, Ratio } from '#kube/units';
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
  const limitedMs = limit === null ? 0 : spanMs;
  container.throttledMs += throttledMs;
  container.limitedMs += limitedMs;
  container.evaluatedAt = now;
  settlePressure(container, spanMs);
  const demanded = (demandMillicores * spanMs) / 1e6;
  const unmet = (Math.max(0, demandMillicores - grantedMillicores) * spanMs) / 1e6;
  book(counters, limitedMs, throttledMs, demanded, unmet);
  if (container.tally !== null) book(container.tally, limitedMs, throttledMs, demanded, unmet);
  container.archive?.record(now, spanMs, grantedMillicores, container.workingSetBytes, limit === null ? null : throttledMs);
}

/** Share of the time that a container waits for CPU: of what it wants, the part that it is not given. */
export function waitedRatio({ demandMillicores, grantedMillicores }: ContainerRuntime): Ratio {
  return demandMillicores > grantedMillicores ? 1 - grantedMillicores / demandMillicores : 0;
}

function settlePressure(container: ContainerRuntime, spanMs: DurationMs): void {
  container.cpuPressure.advance(waitedRatio(container), spanMs);
  container.memoryPressure.advance(container.reclaimRatio, spanMs);
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
