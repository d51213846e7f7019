// Decodes resource lists: CPU, memory and counts.

import { parseCount, parseMemoryBytes, parseCpuMillicores } from '#kube/quantity';
import { UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits, type Resources } from '#kube/records/resources';
import { objectAt, WireError, type Wire } from '../wire.ts';

/** Requests and limits of a `resources` object. @throws WireError where a quantity is malformed */
export function requestsAndLimits(resources: Wire, path: string): RequestsAndLimits {
  return {
    requests: optionalResources(objectAt(resources, 'requests', `${path}.requests`), `${path}.requests`),
    limits: optionalResources(objectAt(resources, 'limits', `${path}.limits`), `${path}.limits`),
  };
}

/** CPU and memory of a resource list. `cpu` and `memory` are its keys, which are longer in a quota. @throws WireError */
export function optionalResources(list: Wire, path: string, cpu = 'cpu', memory = 'memory'): OptionalResources {
  const cpuText = list[cpu];
  const memoryText = list[memory];
  if (cpuText === undefined && memoryText === undefined) return UNSET_RESOURCES;
  return {
    cpuMillicores: cpuText === undefined ? null : cpuOf(cpuText, `${path}.${cpu}`),
    memoryBytes: memoryText === undefined ? null : bytesOf(memoryText, `${path}.${memory}`),
  };
}

/** CPU and memory of a resource list, 0 where absent. @throws WireError */
export function wholeResources(list: Wire, path: string): Resources {
  const { cpuMillicores, memoryBytes } = optionalResources(list, path);
  return { cpuMillicores: cpuMillicores ?? 0, memoryBytes: memoryBytes ?? 0 };
}

/** Parses a CPU quantity into millicores. @throws WireError */
export function cpuOf(value: unknown, path: string): number {
  const parsed = parseCpuMillicores(quantityText(value, path));
  if (!parsed.ok) throw new WireError(path, `a CPU quantity (${parsed.message})`, value);
  return parsed.value;
}

/** Parses a memory quantity into bytes. @throws WireError */
export function bytesOf(value: unknown, path: string): number {
  const parsed = parseMemoryBytes(quantityText(value, path));
  if (!parsed.ok) throw new WireError(path, `a memory quantity (${parsed.message})`, value);
  return parsed.value;
}

/** Parses a count. @throws WireError */
export function countOf(value: unknown, path: string): number {
  const parsed = parseCount(quantityText(value, path));
  if (!parsed.ok) throw new WireError(path, `a count (${parsed.message})`, value);
  return parsed.value;
}

// Handwritten JSON may have a plain number.
function quantityText(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new WireError(path, 'a quantity', value);
}
