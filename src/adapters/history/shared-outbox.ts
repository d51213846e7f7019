import type { SharedRecord } from '../../ports/cluster/shared-state.ts';

/**
 * Shared records waiting to be written. Only the newest per topic and key is stored, so an outage's backlog is bounded by the size of the
 * cluster.
 */
export class SharedOutbox {
  #waiting = new Map<string, SharedRecord>();
  /** The batch being written. */
  #taken: readonly SharedRecord[] | null = null;

  get size(): number {
    return this.#waiting.size;
  }

  add(record: SharedRecord): void {
    this.#waiting.set(`${record.topic} ${record.key}`, record);
  }

  /** Returns all waiting records; `requeue` them where their write fails. */
  takeAll(): readonly SharedRecord[] {
    this.#taken = [...this.#waiting.values()];
    this.#waiting = new Map();
    return this.#taken;
  }

  /** Drops all waiting records, and the batch being written if its write fails. */
  clear(): void {
    this.#waiting = new Map();
    this.#taken = null;
  }

  /** Requeues a batch whose write failed, except records replaced by newer ones. */
  requeue(records: readonly SharedRecord[]): void {
    if (records !== this.#taken) return;
    const since = this.#waiting;
    this.#waiting = new Map(records.map((record) => [`${record.topic} ${record.key}`, record]));
    for (const record of since.values()) this.add(record);
  }
}
