import type { MachineType, PodDemand } from '../packing/packing-problem.ts';

/** The largest share of a node that a pod takes; above 1: it does not fit. */
export function shareOf(
  { cpuMillicores, memoryMib, gpus }: Pick<PodDemand, 'cpuMillicores' | 'memoryMib' | 'gpus'>,
  shape: MachineType,
): number {
  const share = (needed: number, offered: number): number => (needed === 0 ? 0 : needed / offered);
  return Math.max(
    share(cpuMillicores, shape.cpuMillicores),
    share(memoryMib, shape.memoryMib),
    share(gpus, shape.gpus),
    share(1, shape.maxPods),
  );
}
