// Recorded usage on a 5-minute grid: values of one slot are merged, gaps are filled for up to 15 minutes, and the rest of a longer
// gap is not scored.

/** Seconds of one slot. */
export const SLOT_SECONDS = 300;
export const SLOTS_PER_HOUR = 12;
export const SLOTS_PER_DAY = 24 * SLOTS_PER_HOUR;
const MAX_CARRIED_SLOTS = 3;

/** Aggregation of the values of a slot: the mean for CPU, the maximum for memory. */
export type SlotRule = 'mean' | 'max';

/** Usage of one workload by slot; NaN: a gap. CPU in millicores, memory in bytes; null: not recorded. */
export interface Trace {
  readonly name: string;
  /** Slot of `cpu[0]` and `memory[0]`; slot × 300 is its first second. */
  readonly firstSlot: number;
  readonly cpu: Float64Array | null;
  readonly memory: Float64Array | null;
}

/** A scored resource. */
export type Resource = 'cpu' | 'memory';
/** Both resources. */
export const RESOURCES: readonly Resource[] = ['cpu', 'memory'];

/** Recorded samples: times in seconds, ascending, with a value each (NaN: missing). */
export interface RecordedSamples {
  readonly seconds: ArrayLike<number>;
  readonly cpuMillicores: ArrayLike<number> | null;
  readonly memoryBytes: ArrayLike<number> | null;
}

/** Slot of a second. */
export function slotAt(second: number): number {
  return Math.floor(second / SLOT_SECONDS);
}

/** Aggregates samples to slots; a resource without values is null. */
export function traceOf(name: string, samples: RecordedSamples): Trace {
  const { seconds } = samples;
  const firstSlot = slotAt(seconds[0] ?? 0);
  const length = seconds.length === 0 ? 0 : slotAt(seconds[seconds.length - 1] ?? 0) - firstSlot + 1;
  const column = (values: ArrayLike<number> | null, rule: SlotRule) =>
    values === null ? null : bySlot({ seconds, values, firstSlot, length, rule });
  return { name, firstSlot, cpu: column(samples.cpuMillicores, 'mean'), memory: column(samples.memoryBytes, 'max') };
}

interface Column {
  readonly seconds: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly firstSlot: number;
  readonly length: number;
  readonly rule: SlotRule;
}

function bySlot({ seconds, values, firstSlot, length, rule }: Column): Float64Array | null {
  const joined = new Float64Array(length).fill(NaN);
  const counts = new Uint32Array(length);
  for (let row = 0; row < seconds.length; row++) {
    const value = values[row] ?? NaN;
    if (Number.isNaN(value)) continue;
    const slot = slotAt(seconds[row] ?? 0) - firstSlot;
    const known = joined[slot] ?? NaN;
    if (Number.isNaN(known)) joined[slot] = value;
    else joined[slot] = rule === 'max' ? Math.max(known, value) : known + value;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  if (rule === 'mean') for (const [slot, count] of counts.entries()) if (count > 1) joined[slot] = (joined[slot] ?? NaN) / count;
  return counts.some((count) => count > 0) ? fillGaps(joined) : null;
}

/** Fills up to 15 minutes of each gap with the value before it, in place. */
export function fillGaps(values: Float64Array): Float64Array {
  let last = NaN;
  let age = 0;
  for (const [slot, value] of values.entries()) {
    if (Number.isNaN(value)) {
      age += 1;
      if (age <= MAX_CARRIED_SLOTS) values[slot] = last;
    } else {
      last = value;
      age = 0;
    }
  }
  return values;
}
