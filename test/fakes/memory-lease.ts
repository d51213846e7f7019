import type { LeaseRecord, LeaseStore, LeaseWrite } from '../../src/ports/cluster/lease-store.ts';

/** One Lease in memory, as the API server stores it; can be made unreachable. */
export class MemoryLease implements LeaseStore {
  record: LeaseRecord | undefined;
  away = false;
  /** The server's refusal; null where it accepts requests. */
  refusal: string | null = null;
  /** Number of following requests that get a dead connection and end only at their deadline. */
  deadConnections = 0;
  /** Delays the response after the write was stored. */
  slow: () => Promise<void> = () => Promise.resolve();
  #version = 0;

  async read(): Promise<LeaseRecord | undefined> {
    this.#reach();
    return this.record;
  }

  async create(lease: LeaseWrite): Promise<LeaseRecord | undefined> {
    this.#reach();
    return this.record === undefined ? this.#store(lease) : undefined;
  }

  async update(resourceVersion: string, lease: LeaseWrite, signal: AbortSignal): Promise<LeaseRecord | undefined> {
    this.#reach();
    if (this.deadConnections > 0) {
      this.deadConnections -= 1;
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('no answer')), { once: true }));
    }
    const stored = this.record?.resourceVersion === resourceVersion ? this.#store(lease) : undefined;
    await this.slow();
    return stored;
  }

  /** Edits the Lease as a user does with kubectl. */
  edit(change: Partial<LeaseWrite>): void {
    if (this.record !== undefined) this.#store({ ...this.record, ...change });
  }

  #store(lease: LeaseWrite): LeaseRecord {
    this.record = { ...lease, resourceVersion: String((this.#version += 1)) };
    return this.record;
  }

  #reach(): void {
    if (this.away) throw new Error('connection refused');
    if (this.refusal !== null) throw new Error(this.refusal);
  }
}
