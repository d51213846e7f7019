// Merges the replicas of one container into one trace like the recommender: CPU of the busiest replica, or the 90th percentile if
// the busiest replica changes from hour to hour, and memory of the largest.

import type { UsageSeries } from '#kube/records/usage';
import { SECOND_MS } from '#kube/units';
import { BusiestReplica } from '../recommender/history/busiest-replica.ts';
import type { Recording } from './recorded-csv.ts';
import { fillGaps, SLOT_SECONDS, traceOf, type RecordedSamples, type Trace } from './time-grid.ts';

const SLOT_MS = SLOT_SECONDS * SECOND_MS;
const REPLICA_PERCENTILE = 0.9;

/** The trace of a recording, with its replicas merged. */
export function traceOfRecording(name: string, { samples, pods }: Recording): Trace {
  if (pods === undefined) return traceOf(name, samples);
  const rows = Map.groupBy(pods.keys(), (row) => pods[row] ?? '');
  const replicas = [...rows].map(([pod, podRows]) => seriesOf(pod, traceOf(pod, samplesOf(samples, podRows))));
  return traceOfReplicas(name, replicas) ?? traceOf(name, samples);
}

function samplesOf({ seconds, cpuMillicores, memoryBytes }: RecordedSamples, rows: readonly number[]): RecordedSamples {
  const column = (values: ArrayLike<number>) => rows.map((row) => values[row] ?? NaN);
  return {
    seconds: column(seconds),
    cpuMillicores: cpuMillicores === null ? null : column(cpuMillicores),
    memoryBytes: memoryBytes === null ? null : column(memoryBytes),
  };
}

/** A trace as a series with a sample at the end of each slot. */
function seriesOf(pod: string, { firstSlot, cpu, memory }: Trace): UsageSeries {
  const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
  const samples = Array.from({ length: Math.max(cpu?.length ?? 0, memory?.length ?? 0) }, (_, index) => ({
    at: (firstSlot + index + 1) * SLOT_MS,
    cpuMillicores: known(cpu?.[index]),
    memoryBytes: known(memory?.[index]),
  }));
  return { namespace: '', pod, container: '', workload: null, stepSeconds: SLOT_SECONDS, samples, oomKills: [] };
}

/** Merges replicas into one trace; null: no usage. A sample at the end of a slot belongs to that slot. */
export function traceOfReplicas(name: string, replicas: readonly UsageSeries[]): Trace | null {
  const cpu = new Map<number, Map<string, number>>();
  const memory = new Map<number, number>();
  for (const { pod, samples } of replicas) {
    for (const { at, cpuMillicores, memoryBytes } of samples) {
      const slot = Math.ceil(at / SLOT_MS) - 1;
      if (cpuMillicores !== null) cpu.set(slot, (cpu.get(slot) ?? new Map<string, number>()).set(pod, cpuMillicores));
      if (memoryBytes !== null) memory.set(slot, Math.max(memory.get(slot) ?? 0, memoryBytes));
    }
  }
  const slots = [...cpu.keys(), ...memory.keys()].reduce<[number, number] | null>(
    (span, slot) => (span === null ? [slot, slot] : [Math.min(span[0], slot), Math.max(span[1], slot)]),
    null,
  );
  if (slots === null) return null;
  const [first, last] = slots;
  const busiest = new BusiestReplica();
  const grid = (valueAt: (slot: number) => number) =>
    fillGaps(Float64Array.from({ length: last - first + 1 }, (_, index) => valueAt(first + index)));
  return {
    name,
    firstSlot: first,
    cpu: cpu.size === 0 ? null : grid((slot) => cpuOf(busiest, slot, cpu.get(slot))),
    memory: memory.size === 0 ? null : grid((slot) => memory.get(slot) ?? NaN),
  };
}

function cpuOf(busiest: BusiestReplica, slot: number, byPod: ReadonlyMap<string, number> | undefined): number {
  if (byPod === undefined) return NaN;
  busiest.add(slot, byPod);
  const sorted = [...byPod.values()].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * (busiest.isRotating ? REPLICA_PERCENTILE : 1)) - 1] ?? NaN;
}
