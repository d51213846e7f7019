// The replicas of one container as one trace, joined as the recommender joins them: of CPU what nine of ten need, of
// memory what the largest does.

import type { UsageSeries } from '../model/usage.ts';
import { SECOND_MS } from '../model/units.ts';
import { carriedForward, SLOT_SECONDS, type Trace } from './time-grid.ts';

const SLOT_MS = SLOT_SECONDS * SECOND_MS;
const REPLICA_PERCENTILE = 0.9;

/** Null where nothing is known. A sample at the end of a slot tells of that slot. */
export function traceOfReplicas(name: string, replicas: readonly UsageSeries[]): Trace | null {
  const cpu = new Map<number, number[]>();
  const memory = new Map<number, number>();
  for (const { samples } of replicas) {
    for (const { at, cpuMillicores, memoryBytes } of samples) {
      const slot = Math.ceil(at / SLOT_MS) - 1;
      if (cpuMillicores !== null) cpu.set(slot, [...(cpu.get(slot) ?? []), cpuMillicores]);
      if (memoryBytes !== null) memory.set(slot, Math.max(memory.get(slot) ?? 0, memoryBytes));
    }
  }
  const slots = [...cpu.keys(), ...memory.keys()].reduce<[number, number] | null>(
    (span, slot) => (span === null ? [slot, slot] : [Math.min(span[0], slot), Math.max(span[1], slot)]),
    null,
  );
  if (slots === null) return null;
  const [first, last] = slots;
  const grid = (valueAt: (slot: number) => number) =>
    carriedForward(Float64Array.from({ length: last - first + 1 }, (_, index) => valueAt(first + index)));
  return {
    name,
    firstSlot: first,
    cpu: cpu.size === 0 ? null : grid((slot) => busyOf(cpu.get(slot) ?? [])),
    memory: memory.size === 0 ? null : grid((slot) => memory.get(slot) ?? NaN),
  };
}

function busyOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * REPLICA_PERCENTILE) - 1] ?? NaN;
}
