// The schema of the store as numbered steps. A published step is never edited, since stores have run it.

/** Names of column types in a database's SQL dialect. */
export interface ColumnTypes {
  /** 64 bits, signed. */
  readonly integer: string;
  /** Double precision. */
  readonly real: string;
  readonly bytes: string;
  /** Text compared byte by byte, so that a key prefix is a range. */
  readonly text: string;
  /** Suffix of `create table` where the primary key is also the storage order. */
  readonly byKey: string;
}

export const SQLITE_TYPES: ColumnTypes = { integer: 'integer', real: 'real', bytes: 'blob', text: 'text', byKey: ' without rowid' };
export const POSTGRES_TYPES: ColumnTypes = {
  integer: 'bigint',
  real: 'double precision',
  bytes: 'bytea',
  text: 'text collate "C"',
  byKey: '',
};

/** One change of the schema. A store runs each step once, in the order of the numbers. */
export interface SchemaStep {
  readonly number: number;
  /**
   * Oldest schema number whose code can read and write a store with this step. Less than `number` only if every statement adds something
   * that older code can omit: a table, an index, a column with a default or null.
   */
  readonly oldestReader: number;
  /** Runs on PostgreSQL while older replicas write: a statement that rewrites or scans a large table would block them. */
  readonly statements: (types: ColumnTypes) => readonly string[];
}

/** All steps of this version, in order. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  {
    number: 1,
    oldestReader: 1,
    // Creates only missing tables: stores of versions before schema steps have some or all of them.
    statements: ({ integer, real, bytes, text, byKey }) => [
      `create table if not exists checkpoints (key ${text} primary key, saved_at ${integer} not null, version ${integer} not null, data ${bytes} not null)${byKey}`,
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
    ],
  },
  {
    number: 2,
    // Code of schema 1 overwrites checkpoints regardless of the term, so a deposed leader could overwrite its successor's.
    oldestReader: 2,
    statements: ({ integer }) => [`alter table checkpoints add column term ${integer} not null default 0`],
  },
  {
    number: 3,
    // A separate table, since code of schema 2 expects a workload in every row of `applied`.
    oldestReader: 2,
    statements: ({ integer, text }) => [
      `create table timeline (id ${text} primary key, at ${integer} not null, namespace ${text}, object_kind ${text} not null, object_name ${text} not null, body text not null)`,
      'create index timeline_by_object on timeline (object_kind, object_name, namespace, at)',
      'create index timeline_by_time on timeline (at)',
    ],
  },
  {
    number: 4,
    oldestReader: 2,
    statements: ({ integer, text }) => [
      `create table access_events (writer ${text} not null, sequence ${integer} not null, id text not null, at ${integer} not null, email text, via text not null, key_id text, action text not null, target text not null, outcome text not null, before text not null, after text not null, request_id text not null, address text not null, hash text not null, previous_hash text not null, primary key (writer, sequence))`,
      'create index access_events_by_time on access_events (at)',
      `create table access_chains (writer ${text} not null, mark ${text} not null, sequence ${integer} not null, at ${integer} not null, record text not null, primary key (writer, mark))`,
    ],
  },
];
