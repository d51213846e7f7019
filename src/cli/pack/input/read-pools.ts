import { GiB, MiB } from '#kube/units';
import { nodeLabels, type PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import { capacityType, labelList, labelValue, taintList } from './label-cells.ts';
import { decimal, objectName, readTable, type TableColumn, type TableRecord, type TableRow } from './read-table.ts';

export interface ReadPools {
  readonly shapes: readonly PoolShape[];
  readonly problems: readonly string[];
}

/** The kubelet's default. */
const MAX_PODS_PER_NODE = 110;

const COLUMNS = {
  machine_type: { isRequired: true, read: objectName() },
  vcpu: { isRequired: true, read: decimal({ min: 0, max: 10_000 }) },
  memory_gib: { isRequired: true, read: decimal({ min: 0, max: 100_000 }) },
  usd_per_hour: { isRequired: true, read: decimal({ min: 0, max: 100_000 }) },
  max: { isRequired: false, read: decimal({ min: 0, max: 1_000_000, isWhole: true }) },
  alloc_cpu_milli: { isRequired: false, read: decimal({ min: 0, max: 10_000_000, isWhole: true }) },
  alloc_memory_mib: { isRequired: false, read: decimal({ min: 0, max: 100_000_000, isWhole: true }) },
  gpu: { isRequired: false, read: decimal({ min: 0, max: 1_000, isWhole: true }) },
  zone: { isRequired: false, read: labelValue() },
  capacity_type: { isRequired: false, read: capacityType() },
  labels: { isRequired: false, read: labelList() },
  taints: { isRequired: false, read: taintList() },
} satisfies Record<string, TableColumn<unknown>>;

/**
 * Reads pools from CSV: `machine_type,vcpu,memory_gib,usd_per_hour[,max][,alloc_cpu_milli,alloc_memory_mib][,gpu]` and
 * `[,zone][,capacity_type][,labels][,taints]`. Pools of the same machine type differ in one of the latter.
 */
export function readPools(source: string, text: string): ReadPools {
  const { rows, problems } = readTable(source, text, COLUMNS);
  const further: string[] = [];
  const lineOf = new Map<string, number>();
  const names = new Set<string>();
  const shapes = rows.map((row) => {
    const { line, values } = row;
    const key = JSON.stringify([values.machine_type, values.zone, values.capacity_type, values.labels, values.taints]);
    const first = lineOf.get(key);
    if (first !== undefined && values.machine_type !== undefined) {
      further.push(
        `${source}:${line}:${row.columnOf('machine_type')}: machine_type: ${JSON.stringify(values.machine_type)} is also on line ${first}; pools of a type must differ in zone, capacity_type, labels or taints`,
      );
    }
    lineOf.set(key, first ?? line);
    further.push(...allocatableProblems(source, row));
    const shape = shapeOf(values);
    let { name } = shape;
    // Pools that differ in labels or taints alone.
    while (names.has(name)) name += `-line-${line}`;
    names.add(name);
    return { ...shape, name };
  });
  if (problems.length === 0 && shapes.length === 0) further.push(`${source}: has no machine type; add one line for each`);
  return { shapes, problems: [...problems, ...further] };
}

function shapeOf(values: TableRecord<typeof COLUMNS>): PoolShape {
  const offering = {
    machineType: values.machine_type ?? '',
    zone: values.zone ?? null,
    capacityType: values.capacity_type ?? null,
  };
  return {
    name: [offering.machineType, offering.zone, offering.capacityType].filter((part) => part !== null).join('-'),
    offering,
    cpuMillicores: values.alloc_cpu_milli ?? Math.round((values.vcpu ?? 0) * 1000),
    memoryMib: values.alloc_memory_mib ?? Math.floor((values.memory_gib ?? 0) * GiB) / MiB,
    gpus: values.gpu ?? 0,
    maxPods: MAX_PODS_PER_NODE,
    usdPerHour: values.usd_per_hour ?? 0,
    maxNodes: values.max ?? null,
    labels: nodeLabels(offering, values.labels ?? {}),
    taints: values.taints ?? [],
  };
}

function allocatableProblems(source: string, { line, values, columnOf }: TableRow<typeof COLUMNS>): string[] {
  const problems: string[] = [];
  const place = (name: keyof typeof COLUMNS): string => `${source}:${line}:${columnOf(name)}: ${name}`;
  const { vcpu, memory_gib: memoryGib, alloc_cpu_milli: cpu, alloc_memory_mib: memory } = values;
  if (vcpu !== undefined && cpu !== undefined && cpu > Math.round(vcpu * 1000)) {
    problems.push(`${place('alloc_cpu_milli')}: ${cpu} is more than the machine has (${vcpu} vCPU); lower it`);
  }
  if (memoryGib !== undefined && memory !== undefined && memory * MiB > memoryGib * GiB) {
    problems.push(`${place('alloc_memory_mib')}: ${memory} is more than the machine has (${memoryGib} GiB); lower it`);
  }
  return problems;
}
