import { type Kysely, sql } from 'kysely';

/** Rows as they lie in the store. Times are Unix milliseconds. */
export interface HistoryTables {
  /** `term`: transitions of the lease of the leader that saved it. */
  checkpoints: { key: string; saved_at: number; version: number; data: Uint8Array; term: number };
  cycles: { id: string; started_at: number; body: string };
  applied: { id: string; at: number; workload: string; body: string };
  usage_points: { key: string; at: number; cpu_millicores: number | null; memory_bytes: number | null; replicas: number };
  cluster_points: { at: number; body: string };
  /** What the leader tells the other replicas. `changed` grows with every commit. */
  shared_records: { topic: string; key: string; at: number; changed: number; body: string };
}

/** Moved with every change of the tables that older versions would misread; a store of a newer version is refused. */
export const TABLES_VERSION = 2;

/** How a dialect spells the types of the tables. */
export interface TableTypes {
  /** 64 bits, signed. */
  readonly integer: string;
  /** Double precision. */
  readonly real: string;
  readonly bytes: string;
  /** Text that compares byte by byte, so that a prefix is a range. */
  readonly text: string;
  /** After a table whose primary key is also its order on disk. */
  readonly byKey: string;
}

export const SQLITE_TYPES: TableTypes = { integer: 'integer', real: 'real', bytes: 'blob', text: 'text', byKey: ' without rowid' };
export const POSTGRES_TYPES: TableTypes = {
  integer: 'bigint',
  real: 'double precision',
  bytes: 'bytea',
  text: 'text collate "C"',
  byKey: '',
};

/** Creates what is missing. Safe to run again. @param found version of the tables that are there; 0: none */
export async function createTables(db: Kysely<HistoryTables>, types: TableTypes, found: number): Promise<void> {
  if (found === 1) await sql.raw(`alter table checkpoints add column term ${types.integer} not null default 0`).execute(db);
  for (const statement of statementsFor(types)) await sql.raw(statement).execute(db);
}

function statementsFor({ integer, real, bytes, text, byKey }: TableTypes): readonly string[] {
  return [
    `create table if not exists checkpoints (key ${text} primary key, saved_at ${integer} not null, version ${integer} not null, data ${bytes} not null, term ${integer} not null)${byKey}`,
    `create table if not exists cycles (id ${text} primary key, started_at ${integer} not null, body text not null)`,
    'create index if not exists cycles_by_time on cycles (started_at)',
    `create table if not exists applied (id ${text} primary key, at ${integer} not null, workload ${text} not null, body text not null)`,
    'create index if not exists applied_by_workload on applied (workload, at)',
    'create index if not exists applied_by_time on applied (at)',
    `create table if not exists usage_points (key ${text} not null, at ${integer} not null, cpu_millicores ${real}, memory_bytes ${real}, replicas ${integer} not null, primary key (key, at))${byKey}`,
    'create index if not exists usage_by_time on usage_points (at)',
    `create table if not exists cluster_points (at ${integer} primary key, body text not null)`,
    `create table if not exists shared_records (topic ${text} not null, key ${text} not null, at ${integer} not null, changed ${integer} not null, body text not null, primary key (topic, key))`,
    'create index if not exists shared_by_change on shared_records (changed)',
  ];
}
