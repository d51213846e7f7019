import { type Kysely, sql } from 'kysely';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import type { HistoryTables } from '../tables.ts';
import { putMark } from './event-rows.ts';

/** A process may record its next event this long after its last one; without its anchor the chain would lack its start. */
const MARKS_KEPT_MS: DurationMs = 365 * DAY_MS;

/**
 * Removes the events before `before` from the start of each chain, and records the last removed one as the anchor, so that the rest can be
 * verified. The marks of a chain without events are removed a year later.
 */
export async function pruneEvents(db: Kysely<HistoryTables>, before: Instant, signer: RecordSigner): Promise<void> {
  const cut = Math.floor(before);
  const writers = await db.selectFrom('access_events').select('writer').where('at', '<', cut).distinct().execute();
  for (const { writer } of writers) await db.transaction().execute((trx) => pruneChain(trx, writer, cut, signer));
  await db
    .deleteFrom('access_chains')
    .where('writer', 'not in', db.selectFrom('access_events').select('writer'))
    .where(
      'writer',
      'not in',
      db
        .selectFrom('access_chains')
        .select('writer')
        .where('at', '>=', cut - MARKS_KEPT_MS),
    )
    .execute();
}

/** The instant before which the oldest tenth of the time with events lies; null: there are none. */
export async function oldestTenth(db: Kysely<HistoryTables>, now: Instant): Promise<Instant | null> {
  const oldest = await db.selectFrom('access_events').select('at').orderBy('at').limit(1).executeTakeFirst();
  return oldest === undefined ? null : oldest.at + (now - oldest.at) / 10;
}

/** Approximate size of all events. */
export async function eventBytes(db: Kysely<HistoryTables>): Promise<number> {
  const { bytes } = await db
    .selectFrom('access_events')
    .select(sql<number | string | null>`sum(length(before) + length(after) + 600)`.as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

async function pruneChain(trx: Kysely<HistoryTables>, writer: string, cut: number, signer: RecordSigner): Promise<void> {
  const chain = trx.selectFrom('access_events').where('writer', '=', writer);
  // Where the clock was set back, events after the first recent one stay with it: a chain is removed from its start only.
  const kept = await chain.select('sequence').where('at', '>=', cut).orderBy('sequence').limit(1).executeTakeFirst();
  const removed = chain.select(['sequence', 'hash', 'at']).orderBy('sequence', 'desc').limit(1);
  const last = await (kept === undefined ? removed : removed.where('sequence', '<', kept.sequence)).executeTakeFirst();
  if (last === undefined) return;
  await putMark(trx, writer, 'anchor', last, signer);
  await trx.deleteFrom('access_events').where('writer', '=', writer).where('sequence', '<=', last.sequence).execute();
}
