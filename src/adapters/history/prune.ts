// Keeps the store within its bounds: what is older than the retention goes, and past its size the oldest tenth of the time.

import type { Kysely } from 'kysely';
import { DAY_MS, type DurationMs, HOUR_MS, type Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { StoreEngine } from './store-engine.ts';
import type { HistoryTables } from './tables.ts';

/** A node or workload that was not reported for so long is gone. */
const SHARED_KEPT_MS: DurationMs = 7 * DAY_MS;
/** An hour of 20,000 workloads is some 400,000 rows: more in one statement would be cut off, each time anew. */
const DELETE_CHUNK_MS: DurationMs = HOUR_MS;
/** Reads wait meanwhile; the rest goes the next time. */
const MAX_DELETIONS = 24;

export async function prune(
  db: Kysely<HistoryTables>,
  engine: StoreEngine,
  { clock, retentionMs, maxBytes }: { readonly clock: Clock; readonly retentionMs: DurationMs; readonly maxBytes: number },
): Promise<void> {
  const now = clock.now();
  const keepFrom = now - retentionMs;
  await deleteBefore(db, keepFrom);
  await db
    .deleteFrom('shared_records')
    .where('at', '<', Math.floor(now - SHARED_KEPT_MS))
    .execute();
  // Too large: let a tenth of the time go, again at each prune, until it fits.
  if ((await engine.usedBytes(db)) > maxBytes) await deleteBefore(db, await firstTenth(db, keepFrom, now));
  await engine.giveBack(db);
}

async function firstTenth(db: Kysely<HistoryTables>, from: Instant, now: Instant): Promise<Instant> {
  const start = (await oldestPoint(db)) ?? from;
  return start + (now - start) / 10;
}

async function deleteBefore(db: Kysely<HistoryTables>, at: Instant): Promise<void> {
  const before = Math.floor(at);
  await deletePointsBefore(db, before);
  await db.deleteFrom('cluster_points').where('at', '<', before).execute();
  await db.deleteFrom('cycles').where('started_at', '<', before).execute();
  await db.deleteFrom('applied').where('at', '<', before).execute();
  await db.deleteFrom('timeline').where('at', '<', before).execute();
}

async function deletePointsBefore(db: Kysely<HistoryTables>, before: Instant): Promise<void> {
  for (let deletions = 0; deletions < MAX_DELETIONS; deletions += 1) {
    const oldest = await oldestPoint(db);
    if (oldest === null || oldest >= before) return;
    const until = Math.min(before, oldest + DELETE_CHUNK_MS);
    await db.deleteFrom('usage_points').where('at', '<', until).execute();
  }
}

async function oldestPoint(db: Kysely<HistoryTables>): Promise<Instant | null> {
  const oldest = await db
    .selectFrom('usage_points')
    .select(({ fn }) => fn.min('at').as('at'))
    .executeTakeFirst();
  // `min` over no row at all is null, whatever the types say.
  return (oldest?.at as Instant | null | undefined) ?? null;
}
