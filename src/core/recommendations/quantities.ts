import { formatCpu, formatMemory, parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';

/** CPU and memory as quantities of a custom resource. */
export interface QuantityPair {
  readonly cpu?: string;
  readonly memory?: string;
}

/** Quantities as a user may write them: the API server accepts whole numbers too. */
export interface WrittenQuantities {
  readonly cpu?: number | string;
  readonly memory?: number | string;
}

/** Parses quantities of a custom resource; null: absent or invalid. */
export function readQuantities(pair: WrittenQuantities | undefined): OptionalResources {
  const cpu = pair?.cpu === undefined ? null : parseCpuMillicores(pair.cpu);
  const memory = pair?.memory === undefined ? null : parseMemoryBytes(pair.memory);
  return { cpuMillicores: cpu?.ok === true ? cpu.value : null, memoryBytes: memory?.ok === true ? memory.value : null };
}

/** Parses requests and limits of a custom resource; null: absent or invalid. */
export function readRequestsAndLimits(
  values: { readonly requests?: WrittenQuantities; readonly limits?: WrittenQuantities } | undefined,
): RequestsAndLimits {
  return { requests: readQuantities(values?.requests), limits: readQuantities(values?.limits) };
}

/** Formats quantities; null values are omitted. */
export function writeQuantities({ cpuMillicores, memoryBytes }: OptionalResources): QuantityPair {
  return {
    ...(cpuMillicores === null ? {} : { cpu: formatCpu(cpuMillicores) }),
    ...(memoryBytes === null ? {} : { memory: formatMemory(memoryBytes) }),
  };
}

/** Formats requests and limits; unset values are omitted. */
export function writeRequestsAndLimits({ requests, limits }: RequestsAndLimits): { requests: QuantityPair; limits: QuantityPair } {
  return { requests: writeQuantities(requests), limits: writeQuantities(limits) };
}
