import type { Resources } from '#kube/records/resources';
import { GiB } from '#kube/units';

const MAX_CORES = 256;
/** What machines are built with: for computing, for general use, for memory. */
const GIB_PER_CORE: readonly number[] = [2, 4, 8];

/**
 * Which nodes are alike for what runs once on each: cores rounded to a power of two, memory to one of the usual amounts per
 * core (`8cpu-32Gi`). Of the size and not of the machine's name, so that what is learnt on one series of machines counts on
 * the next, and so that there are never more than 27 of them.
 */
export function nodeClass({ cpuMillicores, memoryBytes }: Resources): string {
  const exponent = Math.round(Math.log2(Math.max(1000, cpuMillicores) / 1000));
  const cores = Math.min(MAX_CORES, 2 ** exponent);
  const perCore = memoryBytes / GiB / (Math.max(1, cpuMillicores) / 1000);
  const distance = (each: number): number => Math.abs(Math.log2(Math.max(perCore, Number.MIN_VALUE) / each));
  const [nearest = 4] = GIB_PER_CORE.toSorted((a, b) => distance(a) - distance(b));
  return `${cores}cpu-${cores * nearest}Gi`;
}
