import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { DurationMs, Instant } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { HistoryStore } from '../../ports/store/history-store.ts';
import type { Random } from '../../ports/random.ts';
import { backoffMs, type BackoffRules } from '../../runtime/backoff.ts';
import { type PostgresAddress, type PostgresAddressOptions, readPostgresAddress } from './postgres-address.ts';
import { faultOf } from './postgres-faults.ts';
import { POSTGRES_TYPES, SCHEMA_STEPS, type SchemaStep } from './schema-steps.ts';
import { type HistoryOptions, SqlHistory } from './sql-history.ts';
import type { StoreEngine } from './store-engine.ts';
import type { HistoryTables } from './tables.ts';
import { type SchemaEngine, upgradeSchema } from './upgrade-schema.ts';

/** A few concurrent reads beside the one writer. A hundred replicas still fit a small server. */
const MAX_CONNECTIONS = 4;
const CONNECT_WITHIN_MS: DurationMs = 5_000;
/** Enforced by the server: a statement that runs longer is a mistake. */
const STATEMENT_WITHIN_MS: DurationMs = 15_000;
/** Enforced by the client: without an answer for so long the network is down. */
const ANSWER_WITHIN_MS: DurationMs = 20_000;
const IDLE_MS: DurationMs = 30_000;
/** Jitter keeps replicas that lost the same server from reconnecting together. */
const RETRY: BackoffRules = { firstMs: 500, maxMs: 30_000, factor: 2, jitterRatio: 0.5 };
/** Keys in the database's single namespace of advisory locks. */
const SCHEMA_LOCK = 0x6576_6e01;
const CHANGES_LOCK = 0x6576_6e02;
/** Stored integers stay below 2^53, so int8 is parsed as a number instead of pg's default, text. */
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(pg.types.builtins.INT8, Number);

export interface PostgresHistoryOptions extends HistoryOptions, PostgresAddressOptions {
  readonly random: Random;
  /** Name of this replica in pg_stat_activity. */
  readonly identity: string;
}

/**
 * Opens the store and upgrades its schema. An unreachable server does not fail the start: the store reports not ok until it answers.
 * @throws Error for what only an administrator can repair: a wrong address or password, a missing database, or a store that needs a newer
 * version
 */
export async function openPostgresHistory(options: PostgresHistoryOptions): Promise<HistoryStore> {
  const address = readPostgresAddress(options);
  const engine = new PostgresEngine(address, options);
  const history = new SqlHistory(engine, options, true);
  try {
    await engine.run('opening', () => Promise.resolve());
  } catch (cause) {
    const { message } = cause as Error;
    if (faultOf((cause as Error).cause).kind === 'wrong') {
      await engine.close();
      throw new Error(`the history store ${address.shown}: ${message}`, { cause });
    }
    options.logger.warn('The history store is unreachable; starting without it', { store: address.shown, detail: message });
  }
  return history;
}

class PostgresEngine implements StoreEngine {
  readonly #address: PostgresAddress;
  readonly #timer: MachineTimer;
  readonly #random: Random;
  readonly #identity: string;
  readonly #upgrade: (db: Kysely<HistoryTables>) => Promise<void>;
  #db: Kysely<HistoryTables>;
  #prepared: Promise<void> | null = null;
  #failures = 0;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #lastFault = '';
  #closingPools: Promise<void>[] = [];

  constructor(address: PostgresAddress, options: PostgresHistoryOptions) {
    this.#address = address;
    this.#timer = options.machine;
    this.#random = options.random;
    this.#identity = options.identity;
    const { clock, steps = SCHEMA_STEPS } = options;
    this.#upgrade = (db) => upgrade(db, { steps, now: clock.now() });
    this.#db = this.#connect();
  }

  async run<T>(attempt: string, work: (db: Kysely<HistoryTables>) => Promise<T>): Promise<T> {
    // Reads while the server is unreachable fail at once instead of waiting for a timeout each.
    if (this.#timer.nowMs() < this.#retryAtMs) throw new Error(`${attempt}: the store is unavailable: ${this.#lastFault}`);
    for (let tries = 1; ; tries += 1) {
      const db = this.#db;
      let prepared = false;
      try {
        await (this.#prepared ??= this.#upgrade(db));
        prepared = true;
        const result = await work(db);
        this.#failures = 0;
        return result;
      } catch (cause) {
        const { kind, message } = faultOf(cause);
        // A failed schema upgrade is retried on a new connection.
        const broken = kind !== 'statement' || !prepared;
        if (broken) this.#reconnect(db);
        // A server restart breaks idle connections: one retry on a new connection succeeds.
        if (kind === 'lost' && tries === 1) continue;
        if (broken) this.#backOff(message);
        throw new Error(`${attempt}: ${message}`, { cause });
      }
    }
  }

  /**
   * The lock serializes batches of two writers (a former leader's last, a new leader's first), so a reader's cursor never passes an
   * uncommitted change. The number is the server's clock in microseconds, or the last number plus one: after a restore from backup it
   * continues above every cursor.
   */
  async nextChange(trx: Kysely<HistoryTables>): Promise<number> {
    await sql`select pg_advisory_xact_lock(${sql.lit(CHANGES_LOCK)})`.execute(trx);
    const { rows } = await sql<{ next: number }>`
      select greatest((select coalesce(max(changed), 0) + 1 from shared_records), floor(extract(epoch from clock_timestamp()) * 1e6)::bigint) as next
    `.execute(trx);
    if (rows[0] === undefined) throw new Error('the server answered no number for the next change');
    return rows[0].next;
  }

  /**
   * Size of live rows. The files never shrink by themselves after deletes: if file sizes counted, a store once too large would be pruned
   * until empty.
   */
  async usedBytes(db: Kysely<HistoryTables>): Promise<number> {
    await sql`analyze usage_points`.execute(db);
    const { rows } = await sql<{ bytes: number }>`
      select sum(size * case when name = 'usage_points' then least(1, alive / greatest(1, heap)) else 1 end)::bigint as bytes
      from (
        select
          c.relname as name,
          pg_total_relation_size(c.oid)::float8 as size,
          pg_relation_size(c.oid)::float8 as heap,
          greatest(c.reltuples, 0)::float8 * (32 + (select coalesce(sum(s.avg_width), 0) from pg_stats s where s.schemaname = n.nspname and s.tablename = c.relname)) as alive
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and c.relname in ('checkpoints', 'cycles', 'applied', 'timeline', 'access_events', 'usage_points', 'cluster_points', 'shared_records')
      ) tables
    `.execute(db);
    return rows[0]?.bytes ?? 0;
  }

  async releaseSpace(): Promise<void> {
    // Autovacuum reclaims the space.
  }

  retryMs(): DurationMs {
    return Math.max(RETRY.firstMs, this.#retryAtMs - this.#timer.nowMs());
  }

  async close(): Promise<void> {
    this.#closingPools.push(this.#db.destroy());
    await Promise.allSettled(this.#closingPools);
  }

  #connect(): Kysely<HistoryTables> {
    return connectToPostgres(this.#address, this.#identity);
  }

  /** A connection without an answer keeps its place in the pool, so a broken pool is replaced as a whole. */
  #reconnect(broken: Kysely<HistoryTables>): void {
    if (this.#db !== broken) return;
    this.#prepared = null;
    this.#db = this.#connect();
    const closed = broken.destroy().catch(() => undefined);
    this.#closingPools.push(closed);
    void closed.then(() => (this.#closingPools = this.#closingPools.filter((closing) => closing !== closed)));
  }

  #backOff(why: string): void {
    this.#failures += 1;
    this.#retryAtMs = this.#timer.nowMs() + backoffMs(RETRY, this.#failures, this.#random);
    this.#lastFault = why;
  }
}

/** Opens a pool of connections. The first query connects. @param identity name in pg_stat_activity */
export function connectToPostgres({ shown: _displayed, ...address }: PostgresAddress, identity: string): Kysely<HistoryTables> {
  const pool = new pg.Pool({
    ...address,
    max: MAX_CONNECTIONS,
    application_name: `evenkeel/${identity}`.slice(0, 63),
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_WITHIN_MS,
    lock_timeout: STATEMENT_WITHIN_MS,
    idle_in_transaction_session_timeout: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
    keepAlive: true,
    types: TYPES,
  });
  // pg.Pool reports a broken idle connection only here; the next query opens a new one.
  pool.on('error', () => undefined);
  // A broken connection in use fails its query and also emits an error event, which without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<HistoryTables>({ dialect: new PostgresDialect({ pool }) });
}

/** Upgrades the schema. The lock serializes replicas that start at the same time. */
async function upgrade(db: Kysely<HistoryTables>, target: { readonly steps: readonly SchemaStep[]; readonly now: Instant }): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA_LOCK)})`.execute(trx);
    await upgradeSchema(trx, POSTGRES_SCHEMA, target);
  });
}

const hasTable = async (db: Kysely<HistoryTables>, name: string): Promise<boolean> => {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(db);
  return rows[0]?.found === true;
};

const POSTGRES_SCHEMA: SchemaEngine = {
  types: POSTGRES_TYPES,
  hasTable,
  // Versions before schema steps read this as the table version, and reject a later one than their own.
  readOldestReader: async (db) => {
    if (!(await hasTable(db, 'evenkeel_schema'))) return 0;
    const { rows } = await sql<{ version: number | null }>`select max(version) as version from evenkeel_schema`.execute(db);
    return rows[0]?.version ?? 0;
  },
  writeOldestReader: async (db, schema) => {
    if (!(await hasTable(db, 'evenkeel_schema'))) await sql`create table evenkeel_schema (version integer not null)`.execute(db);
    await sql`delete from evenkeel_schema`.execute(db);
    await sql`insert into evenkeel_schema (version) values (${sql.lit(schema)})`.execute(db);
  },
};
