import { Kysely, SqliteDialect, sql } from 'kysely';
import type { DurationMs } from '../../core/model/units.ts';
import type { History } from '../../ports/history.ts';
import { openNodeSqlite } from './node-sqlite.ts';
import { type HistoryOptions, SqlHistory } from './sql-history.ts';
import type { StoreEngine } from './store-engine.ts';
import { createTables, type HistoryTables, SQLITE_TYPES, TABLES_VERSION } from './tables.ts';

/** A file that refused (a full disk, a lock held for long) is asked again after this time. */
const RETRY_MS: DurationMs = 5_000;

export interface SqliteHistoryOptions extends HistoryOptions {
  /** A path, or `:memory:`. */
  readonly path: string;
}

/** Opens (and where new, creates) the store. Throws with the path when it cannot be opened or is of a newer version. */
export async function openSqliteHistory(options: SqliteHistoryOptions): Promise<History> {
  try {
    const database = openNodeSqlite(options.path);
    const found = (database.raw.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
    if (found > TABLES_VERSION) throw new Error(`it was written by a newer version (tables ${found}, this one knows ${TABLES_VERSION})`);
    const db = new Kysely<HistoryTables>({ dialect: new SqliteDialect({ database }) });
    await createTables(db, SQLITE_TYPES);
    database.raw.exec(`PRAGMA user_version = ${TABLES_VERSION}`);
    // A file is of one process: other replicas cannot read it.
    return new SqlHistory(new SqliteEngine(db), options, false);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`opening the history store ${options.path}: ${why}; set history.url to a path that can be written`, { cause });
  }
}

/** The SQLite side of the store; owns the connection and closes it. */
export class SqliteEngine implements StoreEngine {
  readonly #db: Kysely<HistoryTables>;

  constructor(db: Kysely<HistoryTables>) {
    this.#db = db;
  }

  async run<T>(attempt: string, work: (db: Kysely<HistoryTables>) => Promise<T>): Promise<T> {
    try {
      return await work(this.#db);
    } catch (cause) {
      throw new Error(`${attempt}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }

  nextChange(): Promise<number> {
    return Promise.reject(new Error('a SQLite file is not shared between replicas'));
  }

  // A file created without auto_vacuum keeps its free pages: if they counted, each prune would delete more history.
  async usedBytes(db: Kysely<HistoryTables>): Promise<number> {
    const { rows } = await sql<{
      bytes: number;
    }>`select (page_count - freelist_count) * page_size as bytes
      from pragma_page_count(), pragma_freelist_count(), pragma_page_size()`.execute(db);
    return rows[0]?.bytes ?? 0;
  }

  async giveBack(db: Kysely<HistoryTables>): Promise<void> {
    await sql`pragma incremental_vacuum`.execute(db);
  }

  retryMs(): DurationMs {
    return RETRY_MS;
  }

  close(): Promise<void> {
    return this.#db.destroy();
  }
}
