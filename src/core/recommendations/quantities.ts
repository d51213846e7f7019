import { formatCpu, formatMemory, parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';

/** CPU and memory as custom resources write them. */
export interface QuantityPair {
  readonly cpu?: string;
  readonly memory?: string;
}

/** What a custom resource holds, as numbers; null where it holds nothing that can be read. */
export function readQuantities(pair: QuantityPair | undefined): OptionalResources {
  const cpu = pair?.cpu === undefined ? null : parseCpuMillicores(pair.cpu);
  const memory = pair?.memory === undefined ? null : parseMemoryBytes(pair.memory);
  return { cpuMillicores: cpu?.ok === true ? cpu.value : null, memoryBytes: memory?.ok === true ? memory.value : null };
}

export function readRequestsAndLimits(
  values: { readonly requests?: QuantityPair; readonly limits?: QuantityPair } | undefined,
): RequestsAndLimits {
  return { requests: readQuantities(values?.requests), limits: readQuantities(values?.limits) };
}

/** What is null is left out. */
export function writeQuantities({ cpuMillicores, memoryBytes }: OptionalResources): QuantityPair {
  return {
    ...(cpuMillicores === null ? {} : { cpu: formatCpu(cpuMillicores) }),
    ...(memoryBytes === null ? {} : { memory: formatMemory(memoryBytes) }),
  };
}

/** What is unset is left out. */
export function writeRequestsAndLimits({ requests, limits }: RequestsAndLimits): { requests: QuantityPair; limits: QuantityPair } {
  return { requests: writeQuantities(requests), limits: writeQuantities(limits) };
}
