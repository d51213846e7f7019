import type { SharedRecord } from '../../ports/shared-state.ts';

/** Records that wait to be written: one of each topic and key, so that what a long outage keeps is bounded by the cluster. */
export class SharedOutbox {
  #waiting = new Map<string, SharedRecord>();
  /** Being written at this moment. */
  #taken: readonly SharedRecord[] | null = null;

  get size(): number {
    return this.#waiting.size;
  }

  add(record: SharedRecord): void {
    this.#waiting.set(`${record.topic} ${record.key}`, record);
  }

  takeAll(): readonly SharedRecord[] {
    this.#taken = [...this.#waiting.values()];
    this.#waiting = new Map();
    return this.#taken;
  }

  /** Nothing that waits is wanted any more, nor what is being written, should that fail. */
  clear(): void {
    this.#waiting = new Map();
    this.#taken = null;
  }

  /** What could not be written waits again, unless something newer came since. */
  putBack(records: readonly SharedRecord[]): void {
    if (records !== this.#taken) return;
    const since = this.#waiting;
    this.#waiting = new Map(records.map((record) => [`${record.topic} ${record.key}`, record]));
    for (const record of since.values()) this.add(record);
  }
}
