import type { MachineType } from '../../../core/packing/packing-problem.ts';
import { decimal, objectName, readTable, type TableColumn, type TableRecord, type TableRow } from './read-table.ts';

export interface ReadPools {
  readonly machineTypes: readonly MachineType[];
  readonly problems: readonly string[];
}

/** The kubelet's default. */
const MAX_PODS_PER_NODE = 110;
const MIB_PER_GIB = 1024;

const COLUMNS = {
  machine_type: { isRequired: true, read: objectName() },
  vcpu: { isRequired: true, read: decimal({ min: 0, max: 10_000 }) },
  memory_gib: { isRequired: true, read: decimal({ min: 0, max: 100_000 }) },
  usd_per_hour: { isRequired: true, read: decimal({ min: 0, max: 100_000 }) },
  max: { isRequired: false, read: decimal({ min: 0, max: 1_000_000, isWhole: true }) },
  alloc_cpu_milli: { isRequired: false, read: decimal({ min: 0, max: 10_000_000, isWhole: true }) },
  alloc_memory_mib: { isRequired: false, read: decimal({ min: 0, max: 100_000_000, isWhole: true }) },
  gpu: { isRequired: false, read: decimal({ min: 0, max: 1_000, isWhole: true }) },
} satisfies Record<string, TableColumn<unknown>>;

/** Reads pools from CSV: `machine_type,vcpu,memory_gib,usd_per_hour[,max][,alloc_cpu_milli,alloc_memory_mib][,gpu]`. */
export function readPools(source: string, text: string): ReadPools {
  const { rows, problems } = readTable(source, text, COLUMNS);
  const further: string[] = [];
  const lineOf = new Map<string, number>();
  const machineTypes = rows.map((row) => {
    const { line, values } = row;
    const name = values.machine_type ?? '';
    const first = lineOf.get(name);
    if (first !== undefined && name !== '') {
      further.push(
        `${source}:${line}:${row.columnOf('machine_type')}: machine_type: ${JSON.stringify(name)} is also on line ${first}; names must be unique`,
      );
    }
    lineOf.set(name, first ?? line);
    further.push(...allocatableProblems(source, row));
    return machineTypeOf(values);
  });
  if (problems.length === 0 && machineTypes.length === 0) further.push(`${source}: has no machine type; add one line for each`);
  return { machineTypes, problems: [...problems, ...further] };
}

function machineTypeOf(values: TableRecord<typeof COLUMNS>): MachineType {
  return {
    name: values.machine_type ?? '',
    cpuMillicores: values.alloc_cpu_milli ?? Math.round((values.vcpu ?? 0) * 1000),
    memoryMib: values.alloc_memory_mib ?? Math.floor((values.memory_gib ?? 0) * MIB_PER_GIB),
    gpus: values.gpu ?? 0,
    maxPods: MAX_PODS_PER_NODE,
    usdPerHour: values.usd_per_hour ?? 0,
    maxNodes: values.max ?? null,
  };
}

function allocatableProblems(source: string, { line, values, columnOf }: TableRow<typeof COLUMNS>): string[] {
  const problems: string[] = [];
  const place = (name: keyof typeof COLUMNS): string => `${source}:${line}:${columnOf(name)}: ${name}`;
  const { vcpu, memory_gib: memoryGib, alloc_cpu_milli: cpu, alloc_memory_mib: memory } = values;
  if (vcpu !== undefined && cpu !== undefined && cpu > Math.round(vcpu * 1000)) {
    problems.push(`${place('alloc_cpu_milli')}: ${cpu} is more than the machine has (${vcpu} vCPU); lower it`);
  }
  if (memoryGib !== undefined && memory !== undefined && memory > memoryGib * MIB_PER_GIB) {
    problems.push(`${place('alloc_memory_mib')}: ${memory} is more than the machine has (${memoryGib} GiB); lower it`);
  }
  return problems;
}
