import type { Instant } from '../../model/units.ts';
import type { ContainerFigures } from '../model/container-figures.ts';
import type { Values } from '../model/container-values.ts';
import type { ResizeMemory } from '../model/situation.ts';

/** Remembers of which containers a change sets the CPU request to its base, without a temporary increase on top. */
export function rememberCpuBases(
  memory: ResizeMemory,
  containers: readonly ContainerFigures[],
  values: Values,
  now: Instant,
): Pick<ResizeMemory, 'cpuBaseSetAt'> {
  const setAt = new Map(memory.cpuBaseSetAt);
  for (const { name, advice, inForce, target } of containers) {
    const request = values.get(name)?.requests.cpuMillicores ?? null;
    const isBase = advice?.cpu?.increase === null && request === target?.requests.cpuMillicores;
    if (isBase && request !== inForce.requests.cpuMillicores) setAt.set(name, now);
  }
  return { cpuBaseSetAt: setAt };
}
