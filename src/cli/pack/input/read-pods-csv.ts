import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { PodPlace } from '../../../core/packing-rules/fix-nodes.ts';
import type { PodDemand } from '../../../core/packing/packing-problem.ts';
import { isEveryTaintTolerated } from '../../../core/packing-rules/eligible-shapes.ts';
import type { PodItem } from '../../../core/packing-rules/pod-items.ts';
import type { PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import { decimal, objectName, readTable, type TableColumn } from './read-table.ts';

/** A pod, or pods that must share a node. */
export interface NamedPod {
  /** That of the first of its pods. */
  readonly name: string;
  /** Line of the file, for problems. */
  readonly line: number;
  readonly demand: PodDemand;
  readonly priority: number;
  /** What manifests say of it; null: a pod of a CSV file. */
  readonly item: PodItem | null;
  /** Where it runs; null: on no node, or on one that is not asked for. */
  readonly place: PodPlace | null;
  /** Null: a pod of a CSV file, which has none. */
  readonly rules: SchedulingRules | null;
  /** Names of the shapes that its volumes reach; null: it has none whose place is known. */
  readonly volumes: ((shapes: readonly PoolShape[]) => readonly string[]) | null;
}

export interface ReadPods {
  readonly pods: readonly NamedPod[];
  readonly problems: readonly string[];
}

// Larger than any machine: a value above is a mistake of unit.
export const MAX_CPU_MILLICORES = 10_000_000;
export const MAX_MEMORY_MIB = 100_000_000;
export const MAX_GPUS = 1_000;

const COLUMNS = {
  name: { isRequired: true, read: objectName() },
  cpu_milli: { isRequired: true, read: decimal({ min: 0, max: MAX_CPU_MILLICORES, isWhole: true }) },
  memory_mib: { isRequired: true, read: decimal({ min: 0, max: MAX_MEMORY_MIB, isWhole: true }) },
  gpu: { isRequired: false, read: decimal({ min: 0, max: MAX_GPUS, isWhole: true }) },
  priority: { isRequired: false, read: decimal({ min: -2_147_483_648, max: 2_147_483_647, isWhole: true }) },
  node: { isRequired: false, read: objectName() },
} satisfies Record<string, TableColumn<unknown>>;

/** Reads pods from CSV: `name,cpu_milli,memory_mib[,gpu][,priority][,node]`. They tolerate no taint, and every one may move. */
export function readPodsCsv(source: string, text: string, shapes: readonly PoolShape[]): ReadPods {
  const { rows, problems } = readTable(source, text, COLUMNS);
  const untainted = shapes.filter(({ taints }) => isEveryTaintTolerated([], taints)).map(({ name }) => name);
  const machineTypes = untainted.length === shapes.length ? null : untainted;
  const duplicates: string[] = [];
  const lineOf = new Map<string, number>();
  const pods: NamedPod[] = [];
  for (const { line, values, columnOf } of rows) {
    const { name = '', cpu_milli: cpuMillicores = 0, memory_mib: memoryMib = 0, gpu = 0, priority = 0, node } = values;
    const first = lineOf.get(name);
    if (first !== undefined && name !== '') {
      duplicates.push(
        `${source}:${line}:${columnOf('name')}: name: ${JSON.stringify(name)} is also on line ${first}; names must be unique`,
      );
    }
    lineOf.set(name, first ?? line);
    const place = node === undefined ? null : ({ node, movement: 'moves', why: null, isApart: false } as const);
    const demand = { cpuMillicores, memoryMib, gpus: gpu, machineTypes, group: null };
    pods.push({ name, line, demand, priority, item: null, place, rules: null, volumes: null });
  }
  return { pods, problems: [...problems, ...duplicates] };
}
