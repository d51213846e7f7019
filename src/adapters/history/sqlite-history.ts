import { Kysely, SqliteDialect, sql } from 'kysely';
import type { DurationMs, Instant } from '../../core/model/units.ts';
import { workloadKey } from '../../core/model/workload.ts';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { AppliedValue, ClusterPoint, History, ResizeCycle, UsageCheckpoint, UsagePoint } from '../../ports/history.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import { openNodeSqlite } from './node-sqlite.ts';
import { createTables, type HistoryTables, TABLES_VERSION } from './tables.ts';
import { type Pending, WriteQueue } from './write-queue.ts';

/** Rows wait at most this long (machine time), so that a crash loses little. */
const FLUSH_AFTER_MS: DurationMs = 1_000;
/** One statement's worth: SQLite allows 32,766 parameters, five a row. */
const ROWS_PER_STATEMENT = 500;
const PRUNE_EVERY_FLUSHES = 600;

export interface SqliteHistoryOptions {
  /** A path, or `:memory:`. */
  readonly path: string;
  readonly retentionMs: DurationMs;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly machine: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Opens (and where new, creates) the store. Throws with the path when it cannot be opened or is of a newer version. */
export async function openSqliteHistory(options: SqliteHistoryOptions): Promise<History> {
  try {
    const database = openNodeSqlite(options.path);
    const found = (database.raw.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
    if (found > TABLES_VERSION) throw new Error(`it was written by a newer version (tables ${found}, this one knows ${TABLES_VERSION})`);
    const db = new Kysely<HistoryTables>({ dialect: new SqliteDialect({ database }) });
    await createTables(db);
    database.raw.exec(`PRAGMA user_version = ${TABLES_VERSION}`);
    return new SqliteHistory(db, options);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`opening the history store ${options.path}: ${why}; set history.url to a path that can be written`, { cause });
  }
}

class SqliteHistory implements History {
  readonly #db: Kysely<HistoryTables>;
  readonly #options: SqliteHistoryOptions;
  readonly #queue = new WriteQueue();
  readonly #errors: Counter;
  #cancelFlush: (() => void) | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #flushes = 0;
  #status: { ok: boolean; message: string; since: Instant };

  constructor(db: Kysely<HistoryTables>, options: SqliteHistoryOptions) {
    this.#db = db;
    this.#options = options;
    this.#status = { ok: true, message: 'writable', since: options.clock.now() };
    this.#errors = options.metrics.counter({
      name: 'evenkeel_history_errors_total',
      help: 'Batches that the history store refused; they are tried again.',
    });
    this.#errors.add(0);
  }

  async saveCheckpoints(checkpoints: readonly UsageCheckpoint[]): Promise<void> {
    for (const batch of batches(checkpoints)) {
      const rows = batch.map(({ key, savedAt, version, data }) => ({ key, saved_at: savedAt, version, data }));
      await this.#db.replaceInto('checkpoints').values(rows).execute();
    }
  }

  async *loadCheckpoints(): AsyncIterable<UsageCheckpoint> {
    for await (const row of this.#db.selectFrom('checkpoints').selectAll().orderBy('key').stream()) {
      yield { key: row.key, savedAt: row.saved_at, version: row.version, data: row.data };
    }
  }

  async deleteCheckpoints(keys: readonly string[]): Promise<void> {
    for (const batch of batches(keys)) await this.#db.deleteFrom('checkpoints').where('key', 'in', batch).execute();
  }

  appendCycle(cycle: ResizeCycle): void {
    this.#append('cycles', [cycle]);
  }

  appendApplied(value: AppliedValue): void {
    this.#append('applied', [value]);
    // What was done to somebody's pods is the trail that a crash must not take along; it is rare, so it need not wait for others.
    void this.flush();
  }

  appendUsage(points: readonly UsagePoint[]): void {
    this.#append('usage', [...points]);
  }

  appendCluster(point: ClusterPoint): void {
    this.#append('cluster', [point]);
  }

  async cycles(limit: number): Promise<readonly ResizeCycle[]> {
    await this.flush();
    const rows = await this.#db
      .selectFrom('cycles')
      .select('body')
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ body }) => JSON.parse(body) as ResizeCycle);
  }

  async applied(filter: Parameters<History['applied']>[0]): Promise<readonly AppliedValue[]> {
    await this.flush();
    let query = this.#db.selectFrom('applied').select('body').orderBy('at', 'desc').orderBy('id', 'desc').limit(filter.limit);
    if (filter.workload !== undefined) query = query.where('workload', '=', workloadKey(filter.workload));
    if (filter.since !== undefined) query = query.where('at', '>=', filter.since);
    const rows = await query.execute();
    return rows.map(({ body }) => JSON.parse(body) as AppliedValue);
  }

  async usage(filter: Parameters<History['usage']>[0]): Promise<readonly UsagePoint[]> {
    await this.flush();
    const rows = await this.#db
      .selectFrom('usage_points')
      .selectAll()
      .where('key', '>=', filter.keyPrefix)
      .where('key', '<', `${filter.keyPrefix}\u{10ffff}`)
      .where('at', '>=', filter.from)
      .where('at', '<=', filter.to)
      .orderBy('key')
      .orderBy('at')
      .execute();
    return rows.map((row) => ({
      key: row.key,
      at: row.at,
      cpuMillicores: row.cpu_millicores,
      memoryBytes: row.memory_bytes,
      replicas: row.replicas,
    }));
  }

  async cluster(from: Instant, to: Instant): Promise<readonly ClusterPoint[]> {
    await this.flush();
    const rows = await this.#db
      .selectFrom('cluster_points')
      .select('body')
      .where('at', '>=', from)
      .where('at', '<=', to)
      .orderBy('at')
      .execute();
    return rows.map(({ body }) => JSON.parse(body) as ClusterPoint);
  }

  /** Writes what waits. A store that refuses keeps its batch for the next time and says so in `status`. */
  flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#flushing = this.#flushing.then(() => this.#flushOnce());
    return this.#flushing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#db.destroy();
  }

  status(): { readonly ok: boolean; readonly message: string; readonly since: Instant } {
    return this.#status;
  }

  #append<K extends keyof Pending>(kind: K, rows: Pending[K]): void {
    this.#queue.add(kind, rows);
    if (this.#queue.size >= ROWS_PER_STATEMENT * 4) void this.flush();
    else this.#cancelFlush ??= this.#options.machine.setTimer(FLUSH_AFTER_MS, () => void this.flush());
  }

  async #flushOnce(): Promise<void> {
    if (this.#queue.size === 0) return;
    const batch = this.#queue.takeAll();
    try {
      await this.#db.transaction().execute(async (trx) => writeBatch(trx, batch));
      this.#flushes += 1;
      if (this.#flushes % PRUNE_EVERY_FLUSHES === 0) await this.#prune();
      this.#settle(true, 'writable');
    } catch (err) {
      this.#queue.putBack(batch);
      this.#errors.add();
      this.#settle(
        false,
        `not writable: ${err instanceof Error ? err.message : String(err)}; ${this.#queue.size} rows wait, ${this.#queue.dropped} dropped`,
      );
    }
  }

  #settle(ok: boolean, message: string): void {
    if (ok !== this.#status.ok) {
      this.#options.logger[ok ? 'info' : 'warn'](ok ? 'History store is writable again' : 'History store refuses writes; will retry', {
        detail: message,
      });
      this.#status = { ok, message, since: this.#options.clock.now() };
    } else {
      this.#status = { ...this.#status, message };
    }
  }

  async #prune(): Promise<void> {
    const keepFrom = this.#options.clock.now() - this.#options.retentionMs;
    await this.#deleteBefore(keepFrom);
    const { rows } = await sql<{
      bytes: number;
    }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(this.#db);
    // Too large: let a tenth of the time go, again at each prune, until it fits.
    if ((rows[0]?.bytes ?? 0) > this.#options.maxBytes) await this.#deleteBefore(await this.#firstTenth(keepFrom));
    await sql`pragma incremental_vacuum`.execute(this.#db);
  }

  async #firstTenth(from: Instant): Promise<Instant> {
    const oldest = await this.#db
      .selectFrom('usage_points')
      .select(({ fn }) => fn.min('at').as('at'))
      .executeTakeFirst();
    const start = oldest?.at ?? from;
    return start + (this.#options.clock.now() - start) / 10;
  }

  async #deleteBefore(at: Instant): Promise<void> {
    await this.#db.deleteFrom('usage_points').where('at', '<', at).execute();
    await this.#db.deleteFrom('cluster_points').where('at', '<', at).execute();
    await this.#db.deleteFrom('applied').where('at', '<', at).execute();
    await this.#db.deleteFrom('cycles').where('started_at', '<', at).execute();
  }
}

async function writeBatch(trx: Kysely<HistoryTables>, batch: Pending): Promise<void> {
  for (const rows of batches(batch.cycles)) {
    await trx
      .replaceInto('cycles')
      .values(rows.map((cycle) => ({ id: cycle.id, started_at: cycle.startedAt, body: JSON.stringify(cycle) })))
      .execute();
  }
  for (const rows of batches(batch.applied)) {
    const values = rows.map((row) => ({ id: row.id, at: row.at, workload: workloadKey(row.workload), body: JSON.stringify(row) }));
    await trx.replaceInto('applied').values(values).execute();
  }
  for (const rows of batches(batch.usage)) {
    const values = rows.map((row) => ({
      key: row.key,
      at: row.at,
      cpu_millicores: row.cpuMillicores,
      memory_bytes: row.memoryBytes,
      replicas: row.replicas,
    }));
    await trx.replaceInto('usage_points').values(values).execute();
  }
  for (const rows of batches(batch.cluster)) {
    await trx
      .replaceInto('cluster_points')
      .values(rows.map((row) => ({ at: row.at, body: JSON.stringify(row) })))
      .execute();
  }
}

function* batches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) yield rows.slice(start, start + ROWS_PER_STATEMENT);
}
