// Writes a batch of waiting rows. Each row replaces the stored row with its key, so a batch may be written twice. Times are rounded to
// whole milliseconds, since PostgreSQL rejects fractions in integer columns.

import type { Kysely } from 'kysely';
import type { SharedRecord } from '../../ports/cluster/shared-state.ts';
import type { HistoryTables } from './tables.ts';
import type { Pending } from './write-queue.ts';

/** Some 5 ms of SQLite, which blocks the event loop, and far fewer parameters than the 32,766 that it allows. */
const ROWS_PER_STATEMENT = 200;
/**
 * A record is some kilobytes of JSON, and after an outage those of all nodes wait: small statements bound the memory of serializing them.
 */
const SHARED_PER_STATEMENT = 100;

/** Serves other events between two statements. */
export type Pause = () => Promise<void>;

/** Writes the rows of all queued tables within `trx`. */
export async function writePending(trx: Kysely<HistoryTables>, batch: Pending, pause: Pause): Promise<void> {
  const cycles = lastOf(batch.cycles, ({ id }) => id);
  const cycleRows = cycles.map((cycle) => ({ id: cycle.id, started_at: Math.floor(cycle.startedAt), body: JSON.stringify(cycle) }));
  for await (const rows of batches(cycleRows, pause)) {
    await trx
      .insertInto('cycles')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((row) => ({ started_at: row.ref('excluded.started_at'), body: row.ref('excluded.body') })),
      )
      .execute();
  }
  const entries = lastOf(batch.timeline, ({ id }) => id).map((entry) => {
    const { id, at, namespace, object } = entry;
    return { id, at: Math.floor(at), namespace, object_kind: object.kind, object_name: object.name, body: JSON.stringify(entry) };
  });
  for await (const rows of batches(entries, pause)) {
    await trx
      .insertInto('timeline')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((row) => ({
          at: row.ref('excluded.at'),
          namespace: row.ref('excluded.namespace'),
          object_kind: row.ref('excluded.object_kind'),
          object_name: row.ref('excluded.object_name'),
          body: row.ref('excluded.body'),
        })),
      )
      .execute();
  }
  await writePoints(trx, batch, pause);
}

async function writePoints(trx: Kysely<HistoryTables>, batch: Pending, pause: Pause): Promise<void> {
  const usage = lastOf(batch.usage, ({ key, at }) => `${Math.floor(at)} ${key}`);
  for await (const points of batches(usage, pause)) {
    const rows = points.map(({ key, at, cpuMillicores, memoryBytes, replicas }) => {
      return { key, at: Math.floor(at), cpu_millicores: cpuMillicores, memory_bytes: memoryBytes, replicas };
    });
    await trx
      .insertInto('usage_points')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['key', 'at']).doUpdateSet((row) => ({
          cpu_millicores: row.ref('excluded.cpu_millicores'),
          memory_bytes: row.ref('excluded.memory_bytes'),
          replicas: row.ref('excluded.replicas'),
        })),
      )
      .execute();
  }
  const points = lastOf(batch.cluster, ({ at }) => Math.floor(at));
  const pointRows = points.map((row) => ({ at: Math.floor(row.at), body: JSON.stringify(row) }));
  for await (const rows of batches(pointRows, pause)) {
    await trx
      .insertInto('cluster_points')
      .values(rows)
      .onConflict((conflict) => conflict.column('at').doUpdateSet((row) => ({ body: row.ref('excluded.body') })))
      .execute();
  }
}

/** Writes shared records. @param first change number of the first record; the others follow it */
export async function writeShared(
  trx: Kysely<HistoryTables>,
  records: readonly SharedRecord[],
  first: number,
  pause: Pause,
): Promise<void> {
  let changed = first;
  for await (const rows of batches(records, pause, SHARED_PER_STATEMENT)) {
    await trx
      .insertInto('shared_records')
      .values(rows.map(({ topic, key, at, body }) => ({ topic, key, at: Math.floor(at), changed: changed++, body: JSON.stringify(body) })))
      .onConflict((conflict) =>
        conflict
          .columns(['topic', 'key'])
          .doUpdateSet((row) => ({ at: row.ref('excluded.at'), changed: row.ref('excluded.changed'), body: row.ref('excluded.body') })),
      )
      .execute();
  }
}

/** Writes checkpoints, except those that a later term has saved. Returns the greatest of these terms; null: all were written. */
export async function writeCheckpoints(db: Kysely<HistoryTables>, rows: readonly HistoryTables['checkpoints'][]): Promise<number | null> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('checkpoints')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((row) => ({
          saved_at: row.ref('excluded.saved_at'),
          version: row.ref('excluded.version'),
          data: row.ref('excluded.data'),
          term: row.ref('excluded.term'),
        }))
        .whereRef('checkpoints.term', '<=', 'excluded.term'),
    )
    .executeTakeFirst();
  if (Number(numInsertedOrUpdatedRows) >= rows.length) return null;
  const keys = rows.map(({ key }) => key);
  const latest = await db
    .selectFrom('checkpoints')
    .select(({ fn }) => fn.max<string | number | null>('term').as('term'))
    .where('key', 'in', keys)
    .executeTakeFirst();
  // PostgreSQL returns max() of a bigint as text.
  const term = latest?.term ?? null;
  return term === null ? null : Number(term);
}

/**
 * Splits rows into statements of at most `size` rows, and pauses between them: SQLite runs on this thread, and the usage of 25,000
 * containers would block it for half a second.
 */
export async function* batches<T>(rows: readonly T[], pause: Pause, size = ROWS_PER_STATEMENT): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < rows.length; start += size) {
    if (start > 0) await pause();
    yield rows.slice(start, start + size);
  }
}

/** Keeps the last row of each key: PostgreSQL rejects an upsert that touches a row twice. */
function lastOf<T>(rows: readonly T[], keyOf: (row: T) => string | number): readonly T[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return byKey.size === rows.length ? rows : [...byKey.values()];
}
