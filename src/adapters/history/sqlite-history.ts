import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { isoTime } from '#kube/time/iso-time';
import type { DurationMs, Instant } from '#kube/units';
import type { HistoryStore } from '../../ports/store/history-store.ts';
import { openNodeSqlite } from './node-sqlite.ts';
import { SCHEMA_STEPS, SQLITE_TYPES } from './schema-steps.ts';
import { type HistoryOptions, SqlHistory } from './sql-history.ts';
import type { StoreEngine } from './store-engine.ts';
import type { HistoryTables } from './tables.ts';
import { IncompatibleSchema, type SchemaEngine, upgradeSchema } from './upgrade-schema.ts';

/** Delay before a write is retried that failed because of a full disk or a long-held lock. */
const RETRY_MS: DurationMs = 5_000;

export interface SqliteHistoryOptions extends HistoryOptions {
  /** A path, or `:memory:`. */
  readonly path: string;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: readonly number[] = [11, 26];
/** Number of damaged files kept beside the store. */
const MAX_DAMAGED_FILES = 3;

/** An open file. */
interface OpenStore {
  readonly db: Kysely<HistoryTables>;
  /** What an administrator should know about the store; null: nothing. */
  readonly note: string | null;
}

/**
 * Opens the store, creating it if absent. A damaged file is moved aside, at start or when the damage is found, and an empty store replaces
 * it: history matters less than a working controller. @throws Error with the path where the file cannot be opened or needs a newer version
 */
export async function openSqliteHistory(options: SqliteHistoryOptions): Promise<HistoryStore> {
  const { path } = options;
  try {
    const store = await open(options).catch((cause: unknown) => replaceDamaged(options, cause));
    // A SQLite file belongs to one process; other replicas cannot read it.
    return new SqlHistory(new SqliteEngine(store, (cause) => replaceDamaged(options, cause)), options, false);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const remedy = cause instanceof IncompatibleSchema ? '' : '; set history.url to a path that can be written';
    throw new Error(`opening the history store ${path}: ${why}${remedy}`, { cause });
  }
}

async function open({ path, clock, steps = SCHEMA_STEPS }: SqliteHistoryOptions, note: string | null = null): Promise<OpenStore> {
  const database = openNodeSqlite(path);
  try {
    const db = new Kysely<HistoryTables>({ dialect: new SqliteDialect({ database }) });
    await db.connection().execute(async (connection) => {
      // Takes the write lock at once: of two processes that start with a read, one would fail instead of waiting.
      await sql`begin immediate`.execute(connection);
      await upgradeSchema(connection, SQLITE_SCHEMA, { steps, now: clock.now() });
      await sql`commit`.execute(connection);
    });
    return { db, note };
  } catch (cause) {
    // Closing also rolls back the transaction.
    database.raw.close();
    throw cause;
  }
}

const SQLITE_SCHEMA: SchemaEngine = {
  types: SQLITE_TYPES,
  hasTable: async (db, name) => {
    const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(db);
    return rows.length > 0;
  },
  // Versions before schema steps read this as the table version, and reject a later one than their own.
  readOldestReader: async (db) => {
    const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
    return rows[0]?.user_version ?? 0;
  },
  writeOldestReader: async (db, schema) => {
    await sql`pragma user_version = ${sql.lit(schema)}`.execute(db);
  },
};

/** Replaces a damaged store by a new one. @throws cause where it is not damage */
async function replaceDamaged(options: SqliteHistoryOptions, cause: unknown): Promise<OpenStore> {
  const { path, clock, logger } = options;
  if (!isDamaged(cause)) throw cause;
  const now = clock.now();
  const aside = renameDamaged(path, now);
  logger.warn('The history store is damaged; it was moved aside, and a new one is used', { path, aside, err: cause });
  return open(options, `a damaged file was moved to ${aside} at ${isoTime(now)}`);
}

/** The lowest byte of an extended result code is the primary code. */
function isDamaged(cause: unknown): boolean {
  const { errcode } = cause as { readonly errcode?: unknown };
  return typeof errcode === 'number' && DAMAGED.includes(errcode & 0xff);
}

/** Renames a damaged file with its -wal and -shm files, and deletes the oldest damaged files. Returns the new path. */
function renameDamaged(path: string, now: Instant): string {
  const aside = unusedPath(`${path}.damaged-${isoTime(now).replaceAll(':', '-')}`);
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  const prefix = `${basename(path)}.damaged-`;
  const damaged = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix) && !/-(wal|shm)$/.test(name));
  for (const name of damaged.toSorted().slice(0, -MAX_DAMAGED_FILES)) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dirname(path), name + suffix), { force: true });
  }
  return aside;
}

function unusedPath(path: string): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? path : `${path}-${count}`;
    if (!existsSync(candidate)) return candidate;
  }
}

/** StoreEngine over a SQLite file; owns the connection. */
export class SqliteEngine implements StoreEngine {
  readonly #replace: (cause: unknown) => Promise<OpenStore>;
  #store: OpenStore;
  /** The replacement of a damaged store, for all operations that find the damage; null: the store is in use. */
  #replacement: Promise<OpenStore> | null = null;
  /** The damage of a store that could not be replaced yet; null: none. */
  #damage: unknown = null;

  /** @param replace creates a new store for a damaged one; rejects where the cause is not damage */
  constructor(store: OpenStore, replace: (cause: unknown) => Promise<OpenStore>) {
    this.#store = store;
    this.#replace = replace;
  }

  get note(): string | null {
    return this.#store.note;
  }

  async run<T>(attempt: string, work: (db: Kysely<HistoryTables>) => Promise<T>): Promise<T> {
    try {
      if (this.#damage !== null) await this.#replaceStore(this.#damage);
      const { db } = this.#store;
      return await work(db).catch(async (cause: unknown) => work(await this.#replaceDamaged(db, cause)));
    } catch (cause) {
      throw new Error(`${attempt}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }

  /** Returns the store that replaces the damaged `db`. */
  async #replaceDamaged(db: Kysely<HistoryTables>, cause: unknown): Promise<Kysely<HistoryTables>> {
    if (!isDamaged(cause)) throw cause;
    if (this.#store.db === db) await this.#replaceStore(cause);
    return this.#store.db;
  }

  async #replaceStore(damage: unknown): Promise<void> {
    this.#damage = damage;
    this.#replacement ??= this.#store.db
      .destroy()
      .then(() => this.#replace(damage))
      .finally(() => (this.#replacement = null));
    const replacement = await this.#replacement;
    if (this.#damage === null) return;
    this.#store = replacement;
    this.#damage = null;
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

  async releaseSpace(db: Kysely<HistoryTables>): Promise<void> {
    await sql`pragma incremental_vacuum`.execute(db);
  }

  retryMs(): DurationMs {
    return RETRY_MS;
  }

  close(): Promise<void> {
    return this.#store.db.destroy();
  }
}
