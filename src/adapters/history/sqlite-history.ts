import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { isoTime } from '../../core/model/iso-time.ts';
import type { DurationMs, Instant } from '../../core/model/units.ts';
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

/** SQLite's result codes for a file that is damaged, and for one that is no database. */
const DAMAGED: readonly unknown[] = [11, 26];
/** Damaged files that are kept beside the store. */
const MAX_DAMAGED_FILES = 3;

/**
 * Opens (and where new, creates) the store. A damaged file is moved aside, and the store begins anew: history is worth less than a
 * controller that starts.
 *
 * @throws with the path where it cannot be opened or is of a newer version
 */
export async function openSqliteHistory(options: SqliteHistoryOptions): Promise<History> {
  const { path, clock, logger } = options;
  try {
    try {
      return await open(options, 'writable');
    } catch (cause) {
      if (!DAMAGED.includes((cause as { readonly errcode?: unknown }).errcode)) throw cause;
      const aside = moveAside(path, clock.now());
      logger.warn('The history store is damaged; it was moved aside, and a new one is used', { path, aside, err: cause });
      return await open(options, `writable; a damaged file was moved to ${aside} when the controller started`);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`opening the history store ${path}: ${why}; set history.url to a path that can be written`, { cause });
  }
}

/** @param message status of the store while it is writable */
async function open(options: SqliteHistoryOptions, message: string): Promise<History> {
  const database = openNodeSqlite(options.path);
  try {
    const found = (database.raw.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
    if (found > TABLES_VERSION) throw new Error(`it was written by a newer version (tables ${found}, this one knows ${TABLES_VERSION})`);
    const db = new Kysely<HistoryTables>({ dialect: new SqliteDialect({ database }) });
    await createTables(db, SQLITE_TYPES, found);
    database.raw.exec(`PRAGMA user_version = ${TABLES_VERSION}`);
    // A file is of one process: other replicas cannot read it.
    return new SqlHistory(new SqliteEngine(db), options, false, message);
  } catch (cause) {
    database.raw.close();
    throw cause;
  }
}

/** Renames a damaged file, with what SQLite wrote beside it, and deletes the oldest of those before. Answers the new path. */
function moveAside(path: string, now: Instant): string {
  const aside = `${path}.damaged-${isoTime(now).replaceAll(':', '-')}`;
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  const prefix = `${basename(path)}.damaged-`;
  const kept = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix) && !/-(wal|shm)$/.test(name));
  for (const name of kept.toSorted().slice(0, -MAX_DAMAGED_FILES)) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dirname(path), name + suffix), { force: true });
  }
  return aside;
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
