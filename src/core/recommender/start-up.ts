// CPU that a container uses while it starts (compilation, cache warming) says nothing about what it needs to run. Memory
// is another matter: what it took to start must fit the next time, too.

import type { PodRecord } from '#kube/records/pod';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';
import { MINUTE_MS, type DurationMs } from '#kube/units';

/** Until ready, and so long after: caches and just-in-time compilers still work then. Its samples do not count, and nothing is reduced. */
export const AFTER_READY_MS: DurationMs = 2 * MINUTE_MS;
/** What takes longer to become ready is not starting, but how it is. */
const MAX_MS: DurationMs = 10 * MINUTE_MS;
/** A sample is the mean since the one before: what began this long ago may still have been the start. */
const SAMPLE_MS: DurationMs = MINUTE_MS;

/** The sample without what its container used only to start; null where nothing is left of it. Batch pods have no start-up: all of a short run counts. */
export function withoutStartUp(pod: PodRecord | undefined, container: string, sample: UsageSample): UsageSample | null {
  if (pod === undefined || sample.cpuMillicores === null || !isStarting(pod, container, nodeTimeOf(sample) - SAMPLE_MS)) return sample;
  if (sample.memoryBytes === null) return null;
  return { ...sample, cpuMillicores: null, cpuPeakMillicores: null, throttledRatio: null };
}

/** Whether a container was still starting at a moment, by the clock of its node. */
export function isStarting(pod: PodRecord, name: string, at: number): boolean {
  if (pod.restartPolicy !== 'Always') return false;
  const startedAt = pod.containers.find((container) => container.name === name)?.startedAt ?? null;
  if (startedAt === null || at >= startedAt + MAX_MS) return false;
  return !pod.ready || at < (pod.readySince ?? startedAt) + AFTER_READY_MS;
}
