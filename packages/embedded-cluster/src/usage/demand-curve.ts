import type { Bytes, DurationMs, Instant, Millicores } from '#kube/units';

/**
 * What one replica of a container needs at a moment, at the replica count that its workload began with: a pure function,
 * so that any moment can be asked for in any order.
 */
export interface DemandCurve {
  cpuMillicores(at: Instant): Millicores;
  /** @param runningMs since the container started: what leaks begins again with a restart */
  memoryBytes(at: Instant, runningMs: DurationMs): Bytes;
  /** A busy minute's CPU, which starting up is measured by. */
  readonly busyCpuMillicores: Millicores;
}
