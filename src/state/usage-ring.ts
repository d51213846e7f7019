// A day of usage in 5-minute slots, in typed arrays: a graph's worth for every container of every workload.

import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';

/** Width of a slot. */
export const SLOT_MS: DurationMs = 5 * MINUTE_MS;
const SLOTS = 288;

/** One slot, read. Totals are over all replicas; null where nothing was known. */
export interface UsageSlot {
  readonly at: Instant;
  readonly replicas: number;
  readonly cpuMillicores: number | null;
  readonly memoryBytes: number | null;
  /** Greatest of one replica. */
  readonly cpuMaxMillicores: number | null;
  readonly memoryMaxBytes: number | null;
}

/** The last 24 hours of one thing's usage, whichever replicas it had. Single precision: a graph needs no more. */
export class UsageRing {
  readonly #cpuSum = new Float32Array(SLOTS);
  readonly #memorySum = new Float32Array(SLOTS);
  readonly #cpuMax = new Float32Array(SLOTS);
  readonly #memoryMax = new Float32Array(SLOTS);
  readonly #cpuCount = new Uint32Array(SLOTS);
  readonly #memoryCount = new Uint32Array(SLOTS);
  readonly #replicas = new Uint16Array(SLOTS);
  /** Number of the newest slot: its begin divided by the width; -1 before the first sample. */
  #newest = -1;
  /** Who was seen in the newest slot. */
  readonly #seen = new Set<string>();

  /**
   * Adds one replica's sample. Answers true when it opened a new slot: the one before is then complete. A sample older
   * than the newest slot is added to its own, where replicas can no longer be told apart; older than a day, it is left out.
   */
  add(replica: string, sample: UsageSample): boolean {
    const slot = Math.floor(sample.at / SLOT_MS);
    if (slot <= this.#newest - SLOTS) return false;
    const opened = slot > this.#newest;
    if (opened) this.#open(slot);
    const index = slot % SLOTS;
    if (slot === this.#newest && !this.#seen.has(replica)) {
      this.#seen.add(replica);
      this.#replicas[index] = Math.min(65_535, this.#seen.size);
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

  /** The slots that begin in [from, to), oldest first; those without any sample are left out. */
  slots(from: Instant, to: Instant): readonly UsageSlot[] {
    const found: UsageSlot[] = [];
    const first = Math.max(Math.ceil(from / SLOT_MS), this.#newest - SLOTS + 1, 0);
    for (let slot = first; slot <= this.#newest && slot * SLOT_MS < to; slot++) {
      const read = this.#read(slot);
      if (read !== null) found.push(read);
    }
    return found;
  }

  /** The slot before the newest: the last that is complete. */
  lastComplete(): UsageSlot | null {
    return this.#newest < 1 ? null : this.#read(this.#newest - 1);
  }

  #read(slot: number): UsageSlot | null {
    const index = slot % SLOTS;
    const cpuCount = this.#cpuCount[index] ?? 0;
    const memoryCount = this.#memoryCount[index] ?? 0;
    if (cpuCount === 0 && memoryCount === 0) return null;
    const replicas = Math.max(1, this.#replicas[index] ?? 0);
    // A mean per replica times the replicas: how often each was sampled in the slot then does not matter.
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
    this.#seen.clear();
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
