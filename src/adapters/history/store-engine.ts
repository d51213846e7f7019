import type { Kysely } from 'kysely';
import type { DurationMs } from '#kube/units';
import type { HistoryTables } from './tables.ts';

/** The database-specific part of SqlHistory. */
export interface StoreEngine {
  /** What an administrator should know about the store; absent or null: nothing. */
  readonly note?: string | null;
  /**
   * Runs `work`, which may run twice and must be idempotent. Rejects with `attempt` and the cause; at once while the store is known to be
   * unavailable.
   */
  run<T>(attempt: string, work: (db: Kysely<HistoryTables>) => Promise<T>): Promise<T>;
  /** Returns the number of the next shared change. Called in the transaction of a batch, and serializes batches until they commit. */
  nextChange(trx: Kysely<HistoryTables>): Promise<number>;
  /** Bytes of live rows, without space that deleted rows left free. */
  usedBytes(db: Kysely<HistoryTables>): Promise<number>;
  /** Returns the space of deleted rows to the operating system where the database does not do so itself. */
  releaseSpace(db: Kysely<HistoryTables>): Promise<void>;
  /** Minimum delay before a failed write is retried. */
  retryMs(): DurationMs;
  close(): Promise<void>;
}
