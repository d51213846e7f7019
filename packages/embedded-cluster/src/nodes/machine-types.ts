import { GiB, MiB, type Bytes, type Millicores, type Usd } from '#kube/units';

/** A Compute Engine machine type, with the values that its nodes report. */
export interface MachineType {
  readonly name: string;
  readonly family: string;
  readonly vcpu: number;
  readonly memoryBytes: Bytes;
  readonly onDemandPerHourUsd: Usd;
  readonly spotPerHourUsd: Usd;
}

// List prices without commitments or sustained-use discounts, us-central1, 6 August 2026
// (github.com/cloudpilot-ai/karpenter-provider-gcp, pkg/providers/pricing/initial-prices.json).
export const MACHINE_TYPES: readonly MachineType[] = [
  machineType('e2-standard-2', 2, 8, 0.067011, 0.040212),
  machineType('e2-standard-4', 4, 16, 0.134023, 0.080424),
  machineType('e2-standard-8', 8, 32, 0.268046, 0.160848),
  machineType('e2-standard-16', 16, 64, 0.536091, 0.321696),
  machineType('e2-highmem-4', 4, 32, 0.180799, 0.108488),
  machineType('e2-highcpu-8', 8, 8, 0.197881, 0.118752),
  machineType('n2-standard-2', 2, 8, 0.097118, 0.04606),
  machineType('n2-standard-4', 4, 16, 0.194236, 0.09212),
  machineType('n2-standard-8', 8, 32, 0.388472, 0.18424),
  machineType('n2-highmem-4', 4, 32, 0.262028, 0.12428),
  machineType('n2d-standard-4', 4, 16, 0.168984, 0.048912),
  machineType('n4-standard-4', 4, 16, 0.1814, 0.089568),
  machineType('c3-standard-8', 8, 32, 0.403216, 0.0988),
  machineType('t2d-standard-4', 4, 16, 0.168984, 0.06304),
];

/** undefined for a type that is not in the table. */
export function findMachineType(name: string): MachineType | undefined {
  return MACHINE_TYPES.find((type) => type.name === name);
}

function machineType(name: string, vcpu: number, memoryGib: number, onDemandPerHourUsd: Usd, spotPerHourUsd: Usd): MachineType {
  const family = name.slice(0, name.indexOf('-'));
  return { name, family, vcpu, memoryBytes: memoryGib * GiB, onDemandPerHourUsd, spotPerHourUsd };
}

/** Available memory below which a kubelet evicts pods (`memory.available`, GKE). */
export const EVICTION_THRESHOLD_BYTES: Bytes = 100 * MiB;
/** Memory that Linux reports; an e2-standard-4 reports about 16,393,000 Ki of 16 GiB. */
const VISIBLE_MEMORY_SHARE = 0.977;

/** Allocatable of a node of this type, after GKE's reservations. */
export interface NodeSize {
  readonly capacity: { readonly cpuMillicores: Millicores; readonly memoryBytes: Bytes };
  readonly allocatable: { readonly cpuMillicores: Millicores; readonly memoryBytes: Bytes };
}

/** GKE's formula: cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes, "Memory and CPU reservations". */
export function nodeSizeOf(type: MachineType): NodeSize {
  const memoryBytes = Math.floor((type.memoryBytes * VISIBLE_MEMORY_SHARE) / 1024) * 1024;
  const reservedMemory = reservedMemoryBytes(type.memoryBytes) + EVICTION_THRESHOLD_BYTES;
  const cpuMillicores = type.vcpu * 1000;
  return {
    capacity: { cpuMillicores, memoryBytes },
    allocatable: {
      cpuMillicores: cpuMillicores - reservedCpuMillicores(type.vcpu),
      memoryBytes: Math.floor((memoryBytes - reservedMemory) / 1024) * 1024,
    },
  };
}

/** 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of any above. */
function reservedCpuMillicores(vcpu: number): Millicores {
  return Math.round(10 * (6 * slice(vcpu, 0, 1) + slice(vcpu, 1, 2) + 0.5 * slice(vcpu, 2, 4) + 0.25 * slice(vcpu, 4, Infinity)));
}

/** 255 MiB below 1 GiB; else 25 % of the first 4 GiB, 20 % of the next 4, 10 % of the next 8, 6 % to 128, 2 % above. */
function reservedMemoryBytes(memoryBytes: Bytes): Bytes {
  if (memoryBytes < GiB) return 255 * MiB;
  const gib = memoryBytes / GiB;
  const reserved =
    0.25 * slice(gib, 0, 4) +
    0.2 * slice(gib, 4, 8) +
    0.1 * slice(gib, 8, 16) +
    0.06 * slice(gib, 16, 128) +
    0.02 * slice(gib, 128, Infinity);
  return Math.round(reserved * GiB);
}

function slice(value: number, from: number, to: number): number {
  return Math.max(0, Math.min(value, to) - from);
}
