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

/** Usage of one container or node in the last 24 hours. Single precision is enough for graphs. */
export class UsageRing {
  readonly #cpuSum = new Float32Array(SLOTS);
  readonly #memorySum = new Float32Array(SLOTS);
  readonly #cpuMax = new Float32Array(SLOTS);
  readonly #memoryMax = new Float32Array(SLOTS);
  readonly #cpuCount = new Uint32Array(SLOTS);
  readonly #memoryCount = new Uint32Array(SLOTS);
  readonly #replicas = new Uint16Array(SLOTS);
  /** The newest slot (since the epoch); -1 before the first sample. */
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
    const index = slot % SLOTS;
    if (slot === this.#newest && !this.#replicasInSlot.has(replica)) {
      this.#replicasInSlot.add(replica);
      this.#replicas[index] = Math.min(65_535, this.#replicasInSlot.size);
    }
    if (sample.cpuMillicores !== null) {
      this.#cpuSum[index] = (this.#cpuSum[index] ?? 0) + sample.cpuMillicores;
      this.#cpuCount[index] = (this.#cpuCount[index] ?? 0) + 1;
      this.#cpuMax[index] = Math.max(this.#cpuMax[index] ?? 0, sample.cpuPeakMillicores ?? sample.cpuMillicores);
    }
    if (sample.memoryBytes !== null) {
      this.#memorySum[index] = (this.#memorySum[index] ?? 0) + sample.memoryBytes;
      this.#memoryCount[index] = (this.#memoryCount[index] ?? 0) + 1;
      this.#memoryMax[index] = Math.max(this.#memoryMax[index] ?? 0, sample.memoryPeakBytes ?? sample.memoryBytes);
    }
    return opened;
  }

  /** Slots with values that begin in [from, to), oldest first. */
  slots(from: Instant, to: Instant): readonly UsageSlot[] {
    const slots: UsageSlot[] = [];
    const first = Math.max(Math.ceil(from / SLOT_MS), this.#newest - SLOTS + 1, 0);
    for (let slot = first; slot <= this.#newest && slot * SLOT_MS < to; slot++) {
      const read = this.#read(slot);
      if (read !== null) slots.push(read);
    }
    return slots;
  }

  /** The last complete slot, which is the one before the newest; null: it has no values. */
  lastComplete(): UsageSlot | null {
    return this.#newest < 1 ? null : this.#read(this.#newest - 1);
  }

  #read(slot: number): UsageSlot | null {
    const index = slot % SLOTS;
    const cpuCount = this.#cpuCount[index] ?? 0;
    const memoryCount = this.#memoryCount[index] ?? 0;
    if (cpuCount === 0 && memoryCount === 0) return null;
    const replicas = Math.max(1, this.#replicas[index] ?? 0);
    // Mean per sample times the replicas, which does not depend on the number of samples per replica.
    return {
      at: slot * SLOT_MS,
      replicas,
      cpuMillicores: cpuCount === 0 ? null : ((this.#cpuSum[index] ?? 0) / cpuCount) * replicas,
      memoryBytes: memoryCount === 0 ? null : ((this.#memorySum[index] ?? 0) / memoryCount) * replicas,
      cpuMaxMillicores: cpuCount === 0 ? null : (this.#cpuMax[index] ?? 0),
      memoryMaxBytes: memoryCount === 0 ? null : (this.#memoryMax[index] ?? 0),
    };
  }

  #open(slot: number): void {
    const from = this.#newest === -1 ? slot : Math.max(this.#newest + 1, slot - SLOTS + 1);
    for (let cleared = from; cleared <= slot; cleared++) this.#clear(cleared % SLOTS);
    this.#newest = slot;
    this.#replicasInSlot.clear();
  }

  #clear(index: number): void {
    this.#cpuSum[index] = 0;
    this.#memorySum[index] = 0;
    this.#cpuMax[index] = 0;
    this.#memoryMax[index] = 0;
    this.#cpuCount[index] = 0;
    this.#memoryCount[index] = 0;
    this.#replicas[index] = 0;
  }
}
