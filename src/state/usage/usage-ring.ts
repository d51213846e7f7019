// Ring buffer of a day of usage in 5-minute slots, in typed arrays to save memory.

import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';

/** Width of a slot. */
export const SLOT_MS: DurationMs = 5 * MINUTE_MS;
const SLOTS = 288;

/** Values of one slot, summed over all replicas; null: not measured. */
export interface UsageSlot {
  readonly at: Instant;
  readonly replicas: number;
  readonly cpuMillicores: number | null;
  readonly memoryBytes: number | null;
  /** Maximum of one replica. */
  readonly cpuMaxMillicores: number | null;
  readonly memoryMaxBytes: number | null;
}

/** Values of a slot in the store, in this order. */
const CPU_SUM = 0;
const MEMORY_SUM = 1;
const CPU_MAX = 2;
const MEMORY_MAX = 3;
const CPU_COUNT = 4;
const MEMORY_COUNT = 5;
const REPLICAS = 6;
const WIDTH = 7;
/** Slots of a new ring: most containers of a start, and those of short-lived pods, never need more. */
const FIRST_SLOTS = 12;

/**
 * Usage of one container or node in the last 24 hours, 28 bytes a slot: 336 bytes in the first hour, 8 kB after a day. Single precision is
 * enough for graphs.
 */
export class UsageRing {
  #store = new Float32Array(0);
  /** Slots that fit into the store. */
  #capacity = 0;
  /** The oldest and the newest slot (since the epoch); -1 before the first sample. */
  #oldest = -1;
  #newest = -1;
  /** Replicas with samples in the newest slot. */
  readonly #replicasInSlot = new Set<string>();

  /**
   * Adds a sample of one replica. True: it opened a new slot, so that the one before is complete. A late sample is added to its own
   * slot without changing the count of replicas; one older than a day is ignored.
   */
  add(replica: string, sample: UsageSample): boolean {
    const slot = Math.floor(sample.at / SLOT_MS);
    if (slot <= this.#newest - SLOTS) return false;
    const opened = slot > this.#newest;
    if (opened) this.#open(slot);
    else if (slot < this.#oldest) this.#reachBack(slot);
    // By index instead of a view of the slot: this runs for each sample of the cluster.
    const [store, start] = [this.#store, this.#startOf(slot)];
    if (slot === this.#newest && !this.#replicasInSlot.has(replica)) {
      this.#replicasInSlot.add(replica);
      store[start + REPLICAS] = this.#replicasInSlot.size;
    }
    if (sample.cpuMillicores !== null) {
      store[start + CPU_SUM] = (store[start + CPU_SUM] ?? 0) + sample.cpuMillicores;
      store[start + CPU_COUNT] = (store[start + CPU_COUNT] ?? 0) + 1;
      store[start + CPU_MAX] = Math.max(store[start + CPU_MAX] ?? 0, sample.cpuPeakMillicores ?? sample.cpuMillicores);
    }
    if (sample.memoryBytes !== null) {
      store[start + MEMORY_SUM] = (store[start + MEMORY_SUM] ?? 0) + sample.memoryBytes;
      store[start + MEMORY_COUNT] = (store[start + MEMORY_COUNT] ?? 0) + 1;
      store[start + MEMORY_MAX] = Math.max(store[start + MEMORY_MAX] ?? 0, sample.memoryPeakBytes ?? sample.memoryBytes);
    }
    return opened;
  }

  /** Slots with values that begin in [from, to), oldest first. */
  slots(from: Instant, to: Instant): readonly UsageSlot[] {
    const slots: UsageSlot[] = [];
    for (let slot = Math.max(Math.ceil(from / SLOT_MS), this.#oldest); slot <= this.#newest && slot * SLOT_MS < to; slot++) {
      const read = this.#read(slot);
      if (read !== null) slots.push(read);
    }
    return slots;
  }

  /** The last complete slot, which is the one before the newest; null: it has no values. */
  lastComplete(): UsageSlot | null {
    return this.#newest - 1 < this.#oldest ? null : this.#read(this.#newest - 1);
  }

  /** null before the first sample, and for a slot without values. */
  #read(slot: number): UsageSlot | null {
    if (slot < 0) return null;
    const values = this.#valuesOf(slot);
    const [cpuCount, memoryCount] = [values[CPU_COUNT] ?? 0, values[MEMORY_COUNT] ?? 0];
    if (cpuCount === 0 && memoryCount === 0) return null;
    const replicas = Math.max(1, values[REPLICAS] ?? 0);
    // Mean per sample times the replicas, which does not depend on the number of samples per replica.
    return {
      at: slot * SLOT_MS,
      replicas,
      cpuMillicores: cpuCount === 0 ? null : ((values[CPU_SUM] ?? 0) / cpuCount) * replicas,
      memoryBytes: memoryCount === 0 ? null : ((values[MEMORY_SUM] ?? 0) / memoryCount) * replicas,
      cpuMaxMillicores: cpuCount === 0 ? null : (values[CPU_MAX] ?? 0),
      memoryMaxBytes: memoryCount === 0 ? null : (values[MEMORY_MAX] ?? 0),
    };
  }

  #startOf(slot: number): number {
    return (slot % this.#capacity) * WIDTH;
  }

  #valuesOf(slot: number): Float32Array {
    const start = this.#startOf(slot);
    return this.#store.subarray(start, start + WIDTH);
  }

  #open(slot: number): void {
    const oldest = Math.max(this.#oldest, slot - SLOTS + 1);
    const isEmpty = this.#newest < oldest;
    this.#fit(isEmpty ? 1 : slot - oldest + 1);
    const before = isEmpty ? slot - 1 : this.#newest;
    this.#oldest = isEmpty ? slot : oldest;
    this.#newest = slot;
    for (let cleared = before + 1; cleared <= slot; cleared++) this.#valuesOf(cleared).fill(0);
    this.#replicasInSlot.clear();
  }

  #reachBack(slot: number): void {
    this.#fit(this.#newest - slot + 1);
    for (let cleared = slot; cleared < this.#oldest; cleared++) this.#valuesOf(cleared).fill(0);
    this.#oldest = slot;
  }

  /** Grows the store to at least `slots`. */
  #fit(slots: number): void {
    if (slots <= this.#capacity) return;
    const [before, capacityBefore] = [this.#store, this.#capacity];
    this.#capacity = Math.min(SLOTS, Math.max(FIRST_SLOTS, 2 * capacityBefore, slots));
    this.#store = new Float32Array(this.#capacity * WIDTH);
    if (capacityBefore === 0) return;
    for (let slot = this.#oldest; slot <= this.#newest; slot++) {
      const start = (slot % capacityBefore) * WIDTH;
      this.#valuesOf(slot).set(before.subarray(start, start + WIDTH));
    }
  }
}
