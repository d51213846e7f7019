import type { DurationMs, Instant, Ratio } from '#kube/units';
import type { ContainerRuntime } from '../kubelet/container-runtime.ts';
import type { ClusterCounters, ContainerTally } from '../simulator-counters.ts';

/**
 * Records the usage of a container since its last evaluation: in its counters, the archive and the cluster's counters. Called before its
 * rate changes and before it stops. Does not allocate.
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

/** Share of time in which a container waits for CPU: the part of its demand that is not granted. */
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
