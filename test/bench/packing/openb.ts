// Pods of the openb trace and machine types of Compute Engine as input of a packing; null where the data are absent.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MachineType, PodDemand } from '../../../src/core/packing/packing-problem.ts';
import { findDataFolder } from '../recorded-sets.ts';

export interface PackingSet {
  readonly name: string;
  /** Seconds of the goal. */
  readonly seconds: number;
  /** Goal of the cost over the lower bound. */
  readonly maxGap: number;
  readonly pods: readonly PodDemand[];
}

type Row = ReadonlyMap<string, string>;

/** The kubelet's default. */
const MAX_PODS = 110;
/** Nodes against which the pods of the first set are small. */
const DIVISOR = 8;

/** The sets of the goals. GPUs are ignored: pods of GPU jobs count with their CPU and memory alone. */
export function openbSets(): readonly PackingSet[] | null {
  const rows = readRows('openb-2023/pods.csv');
  if (rows === null) return null;
  const podsOf = (divisor: number, isWanted: (row: Row) => boolean): PodDemand[] =>
    rows.filter(isWanted).map((row) => ({
      cpuMillicores: Math.ceil(Number(row.get('cpu_milli')) / divisor),
      memoryMib: Math.ceil(Number(row.get('memory_mib')) / divisor),
      gpus: 0,
      machineTypes: null,
      group: null,
    }));
  return [
    { name: 'small', seconds: 10, maxGap: 0.015, pods: podsOf(DIVISOR, () => true) },
    { name: 'cpu', seconds: 10, maxGap: 0.09, pods: podsOf(1, (row) => row.get('num_gpu') === '0') },
    { name: 'all', seconds: 30, maxGap: 0.05, pods: podsOf(1, () => true) },
  ];
}

/** Types of us-central1 at their on-demand price, whole machines allocatable. Those with shared cores are left out: they sustain less. */
export function gceMachineTypes(): readonly MachineType[] | null {
  const rows = readRows('gce-prices/us-central1.csv');
  if (rows === null) return null;
  return rows
    .filter((row) => row.get('on_demand_usd_per_hour') !== '' && row.get('shared_cpu') === 'false')
    .map((row) => ({
      name: row.get('machine_type') ?? '',
      cpuMillicores: Number(row.get('vcpu')) * 1000,
      memoryMib: Math.floor(Number(row.get('memory_gib')) * 1024),
      gpus: 0,
      maxPods: MAX_PODS,
      usdPerHour: Number(row.get('on_demand_usd_per_hour')),
      maxNodes: null,
    }));
}

function readRows(path: string): Row[] | null {
  const folder = findDataFolder();
  const file = folder === null ? null : join(folder, path);
  if (file === null || !existsSync(file)) return null;
  const [header = [], ...rows] = readFileSync(file, 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  return rows.map((cells) => new Map(header.map((name, at) => [name, cells[at] ?? ''])));
}
