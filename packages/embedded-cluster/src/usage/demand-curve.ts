import type { Bytes, DurationMs, Instant, Millicores } from '#kube/units';

/**
 * Demand of one replica of a container over time, at the initial replica count of its workload: a pure function, so that any time can be
 * evaluated in any order.
 */
export interface DemandCurve {
  cpuMillicores(at: Instant): Millicores;
  /** @param runningMs time since the container's start: a leak starts again with a restart */
  memoryBytes(at: Instant, runningMs: DurationMs): Bytes;
  /** CPU of a busy minute, to which the start-up demand is relative. */
  readonly busyCpuMillicores: Millicores;
}
