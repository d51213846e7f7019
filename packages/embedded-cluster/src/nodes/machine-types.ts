import { familyOf, MACHINE_PRICES } from '#kube/machines/machine-prices';
import { GiB, MiB, type Bytes, type Millicores, type Usd } from '#kube/units';

/** A Compute Engine machine type, with the values that its nodes report. */
export interface MachineType {
  readonly name: string;
  readonly family: string;
  readonly vcpu: number;
  readonly memoryBytes: Bytes;
  readonly onDemandPerHourUsd: Usd;
  /** null: it is not offered as spot. */
  readonly spotPerHourUsd: Usd | null;
}

/** Without machine types with GPUs, since nodes of the embedded cluster have no devices. */
export const MACHINE_TYPES: readonly MachineType[] = Object.entries(MACHINE_PRICES)
  .filter(([, [, , , , gpus]]) => gpus === undefined)
  .map(([name, [vcpu, memoryGib, onDemand, spot]]) => ({
    name,
    family: familyOf(name),
    vcpu,
    memoryBytes: Math.round(memoryGib * GiB),
    onDemandPerHourUsd: onDemand,
    spotPerHourUsd: spot,
  }));

const BY_NAME = new Map(MACHINE_TYPES.map((type) => [type.name, type]));

/** undefined for a type that is not in the list. */
export function findMachineType(name: string): MachineType | undefined {
  return BY_NAME.get(name);
}

/** @throws Error for a type that is not in the list */
export function getMachineType(name: string): MachineType {
  const found = findMachineType(name);
  if (found === undefined) throw new Error(`machine type ${name} is not known; choose one such as ${similarTypes(name)}`);
  return found;
}

/** Types of the family of an unknown type, or one of each family, for messages. */
export function similarTypes(name: string): string {
  const ofFamily = MACHINE_TYPES.filter(({ family }) => name.startsWith(`${family}-`));
  const ofEachFamily = MACHINE_TYPES.filter(({ family }, at) => MACHINE_TYPES.findIndex((type) => type.family === family) === at);
  return (ofFamily.length > 0 ? ofFamily : ofEachFamily).map((type) => type.name).join(', ');
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
