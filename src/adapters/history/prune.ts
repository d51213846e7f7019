// Deletes history older than the retention, and where the store exceeds its size also the oldest tenth of the remaining time.

import type { Kysely } from 'kysely';
import { DAY_MS, type DurationMs, HOUR_MS, type Instant } from '#kube/units';
import { isoTime } from '#kube/time/iso-time';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import { eventBytes, oldestTenth, pruneEvents } from './access-events/prune-events.ts';
import type { StoreEngine } from './store-engine.ts';
import type { HistoryTables } from './tables.ts';

/** Shared records of nodes and workloads that were not reported for this long are deleted. */
const SHARED_KEPT_MS: DurationMs = 7 * DAY_MS;
/** An hour of 20,000 workloads is about 400,000 rows; a larger delete would exceed the statement timeout each time. */
const DELETE_CHUNK_MS: DurationMs = HOUR_MS;
/** Reads wait during the deletes; the remaining rows are deleted by the next prune. */
const MAX_DELETIONS = 24;
/** Access events outlive other history, and are removed before their retention only where they fill this part of the store. */
const MAX_ACCESS_EVENT_SHARE = 0.25;

export interface PruneBounds {
  readonly clock: Clock;
  readonly retentionMs: DurationMs;
  readonly accessEventRetentionMs: DurationMs;
  readonly maxBytes: number;
  /** Signs what retention removes from chains of access events. */
  readonly signer: RecordSigner;
  readonly logger: Logger;
}

/** Deletes old rows and returns free pages to the operating system. */
export async function prune(
  db: Kysely<HistoryTables>,
  engine: StoreEngine,
  { clock, retentionMs, accessEventRetentionMs, maxBytes, signer, logger }: PruneBounds,
): Promise<void> {
  const now = clock.now();
  const keepFrom = now - retentionMs;
  await deleteBefore(db, keepFrom);
  await pruneEvents(db, now - accessEventRetentionMs, signer);
  await db
    .deleteFrom('shared_records')
    .where('at', '<', Math.floor(now - SHARED_KEPT_MS))
    .execute();
  // Each prune deletes another tenth of the time until the store fits.
  if ((await engine.usedBytes(db)) > maxBytes) {
    await deleteBefore(db, await firstTenth(db, keepFrom, now));
    const before = (await eventBytes(db)) > maxBytes * MAX_ACCESS_EVENT_SHARE ? await oldestTenth(db, now) : null;
    if (before !== null) {
      // A user can cause this on purpose: each repeated change has an event.
      logger.warn('Removing access events before their retention: they fill their part of the store', { before: isoTime(before) });
      await pruneEvents(db, before, signer);
    }
  }
  await engine.releaseSpace(db);
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
  // SQL's `min` over no rows is null, which Kysely's type omits.
  return (oldest?.at as Instant | null | undefined) ?? null;
}
