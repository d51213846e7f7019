// Excludes CPU of container starts (compilation, cache warming), which is no measure of its later need. Memory counts, because
// the next start needs it again.

import type { PodRecord } from '#kube/records/pod';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';
import { MINUTE_MS, type DurationMs } from '#kube/units';

/** Start-up lasts until this long after readiness: caches fill and JIT compilers run. Its CPU does not count, and requests are not reduced. */
export const AFTER_READY_MS: DurationMs = 2 * MINUTE_MS;
/** Longest start-up; a container that is not ready after it counts as running. */
const MAX_START_UP_MS: DurationMs = 10 * MINUTE_MS;
/** Length of a sample: a mean that began in the start-up is excluded. */
const SAMPLE_LENGTH_MS: DurationMs = MINUTE_MS;

/** The sample without CPU of the start-up; null: nothing remains. Batch pods have no start-up, since all of a short run counts. */
export function stripStartUp(pod: PodRecord | undefined, container: string, sample: UsageSample): UsageSample | null {
  if (pod === undefined || sample.cpuMillicores === null || !isStarting(pod, container, nodeTimeOf(sample) - SAMPLE_LENGTH_MS))
    return sample;
  if (sample.memoryBytes === null) return null;
  return { ...sample, cpuMillicores: null, cpuPeakMillicores: null, throttledRatio: null };
}

/** Whether a container was starting at a time, by the clock of its node. */
export function isStarting(pod: PodRecord, name: string, at: number): boolean {
  if (pod.restartPolicy !== 'Always') return false;
  const startedAt = pod.containers.find((container) => container.name === name)?.startedAt ?? null;
  if (startedAt === null || at >= startedAt + MAX_START_UP_MS) return false;
  return !pod.ready || at < (pod.readySince ?? startedAt) + AFTER_READY_MS;
}
