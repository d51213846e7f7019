import type { Kysely } from 'kysely';
import type { DurationMs } from '#kube/units';
import type { HistoryTables } from './tables.ts';

/** What differs between the databases that hold history. */
export interface StoreEngine {
  /** What people should know of the store while it works; absent or null: nothing. */
  readonly note?: string | null;
  /**
   * Runs one piece of work, which must bear being run twice. Rejects with what was attempted and why it failed; at once
   * while the store is known to be away.
   */
  run<T>(attempt: string, work: (db: Kysely<HistoryTables>) => Promise<T>): Promise<T>;
  /** Before a batch of shared records within their transaction: from here on batches commit one after the other. Answers their number. */
  nextChange(trx: Kysely<HistoryTables>): Promise<number>;
  /** Size of what is kept, in bytes, without space that deleted rows left free for new ones. */
  usedBytes(db: Kysely<HistoryTables>): Promise<number>;
  /** Called after rows were deleted. */
  giveBack(db: Kysely<HistoryTables>): Promise<void>;
  /** How long to wait before what failed is tried again. */
  retryMs(): DurationMs;
  close(): Promise<void>;
}
