import { type Kysely, sql } from 'kysely';

/** Rows as they lie on disk. Times are Unix milliseconds. */
export interface HistoryTables {
  checkpoints: { key: string; saved_at: number; version: number; data: Uint8Array };
  cycles: { id: string; started_at: number; body: string };
  applied: { id: string; at: number; workload: string; body: string };
  usage_points: { key: string; at: number; cpu_millicores: number | null; memory_bytes: number | null; replicas: number };
  cluster_points: { at: number; body: string };
}

/** Moved with every change of the tables; a store of a newer version is refused rather than misread. */
export const TABLES_VERSION = 1;

/** Creates what is missing. Safe to run again. */
export async function createTables(db: Kysely<HistoryTables>): Promise<void> {
  await sql`create table if not exists checkpoints (key text primary key, saved_at integer not null, version integer not null, data blob not null) without rowid`.execute(
    db,
  );
  await sql`create table if not exists cycles (id text primary key, started_at integer not null, body text not null)`.execute(db);
  await sql`create index if not exists cycles_by_time on cycles (started_at)`.execute(db);
  await sql`create table if not exists applied (id text primary key, at integer not null, workload text not null, body text not null)`.execute(
    db,
  );
  await sql`create index if not exists applied_by_workload on applied (workload, at)`.execute(db);
  await sql`create index if not exists applied_by_time on applied (at)`.execute(db);
  await sql`create table if not exists usage_points (key text not null, at integer not null, cpu_millicores real, memory_bytes real, replicas integer not null, primary key (key, at)) without rowid`.execute(
    db,
  );
  await sql`create index if not exists usage_by_time on usage_points (at)`.execute(db);
  await sql`create table if not exists cluster_points (at integer primary key, body text not null)`.execute(db);
}
