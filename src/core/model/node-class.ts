import type { Resources } from '#kube/records/resources';
import { GiB } from '#kube/units';

const MAX_CORES = 256;
/** Memory per core of compute-optimized, general-purpose and memory-optimized machines. */
const GIB_PER_CORE: readonly number[] = [2, 4, 8];

/**
 * Size class of a node, for DaemonSets: cores rounded to a power of two, memory to a usual amount per core (`8cpu-32Gi`). It
 * depends on the size and not on the machine type, so that usage learned on one series applies to the next, and so that
 * there are at most 27 classes.
 */
export function nodeClass({ cpuMillicores, memoryBytes }: Resources): string {
  const exponent = Math.round(Math.log2(Math.max(1000, cpuMillicores) / 1000));
  const cores = Math.min(MAX_CORES, 2 ** exponent);
  const perCore = memoryBytes / GiB / (Math.max(1, cpuMillicores) / 1000);
  const distance = (gib: number): number => Math.abs(Math.log2(Math.max(perCore, Number.MIN_VALUE) / gib));
  const [nearest = 4] = GIB_PER_CORE.toSorted((a, b) => distance(a) - distance(b));
  return `${cores}cpu-${cores * nearest}Gi`;
}
