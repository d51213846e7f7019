import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { ContainerRuntime } from './container-runtime.ts';
import type { PodRuntime } from './pods/pod-runtime.ts';

/** Time in which a new process reaches its working set. */
const WARM_UP_MS: DurationMs = 2 * MINUTE_MS;
const COLD_SHARE = 0.55;
/** Lowest share of a busy minute's CPU that a starting container wants. */
const STARTUP_SHARE = 0.9;

/** Sets the demand of a running container: its curve, its share of the workload's load, its age. */
export function setDemand(pod: PodRuntime, container: ContainerRuntime, now: Instant): void {
  const { curve } = container;
  if (curve === null) return;
  const runningMs = now - (container.startedAt ?? now);
  const load = pod.load;
  let cpu = curve.cpuMillicores(now) * load.cpuFactor(pod.ready, pod.skew);
  if (now < container.startupUntil) cpu = Math.max(cpu, container.startupCpuMillicores ?? curve.busyCpuMillicores * STARTUP_SHARE);
  const warmth = runningMs >= WARM_UP_MS ? 1 : COLD_SHARE + (1 - COLD_SHARE) * (runningMs / WARM_UP_MS);
  container.demandMillicores = cpu;
  container.workingSetBytes = curve.memoryBytes(now, runningMs) * load.memoryFactor(pod.ready, pod.skew) * warmth;
  container.unreclaimableBytes = container.workingSetBytes * (1 - container.cacheShare);
  const { startupMemoryBytes } = container;
  if (startupMemoryBytes === null || now >= container.startupUntil) return;
  container.unreclaimableBytes = Math.max(container.unreclaimableBytes, startupMemoryBytes);
  container.workingSetBytes = Math.max(container.workingSetBytes, container.unreclaimableBytes);
}
