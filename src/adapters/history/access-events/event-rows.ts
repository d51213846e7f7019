// Access events as rows of the store: written, read, and removed by retention.

import type { Kysely } from 'kysely';
import type { AccessEvent, AccessOutcome, ChainedAccessEvent } from '../../../core/access/events/access-event.ts';
import type { StoredAccessEvent } from '../../../core/access/events/event-chain.ts';
import type { AccessEventFilter } from '../../../ports/store/access-events.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import type { HistoryTables } from '../tables.ts';
import { writeMark, type MarkKind } from './chain-marks.ts';

type Row = HistoryTables['access_events'];

/** Of 16 parameters each. */
const ROWS_PER_STATEMENT = 200;

/** Appends rows that are linked to the chain, and moves its head. May run twice with the same rows. */
export async function writeEvents(trx: Kysely<HistoryTables>, events: readonly StoredAccessEvent[], signer: RecordSigner): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  for (let start = 0; start < events.length; start += ROWS_PER_STATEMENT) {
    await trx
      .insertInto('access_events')
      .values(events.slice(start, start + ROWS_PER_STATEMENT).map(toRow))
      .onConflict((conflict) => conflict.columns(['writer', 'sequence']).doNothing())
      .execute();
  }
  await putMark(trx, last.writer, 'head', last, signer);
}

/** Stores a mark, unless a later one is stored. */
export async function putMark(
  db: Kysely<HistoryTables>,
  writer: string,
  mark: MarkKind,
  point: { readonly sequence: number; readonly hash: string; readonly at: number },
  signer: RecordSigner,
): Promise<void> {
  const { sequence, at } = point;
  await db
    .insertInto('access_chains')
    .values({ writer, mark, sequence, at, record: writeMark(signer, writer, mark, point) })
    .onConflict((conflict) =>
      conflict
        .columns(['writer', 'mark'])
        .doUpdateSet((row) => ({ sequence: row.ref('excluded.sequence'), at: row.ref('excluded.at'), record: row.ref('excluded.record') }))
        .whereRef('access_chains.sequence', '<=', 'excluded.sequence'),
    )
    .execute();
}

/** Events that match the filter, newest first. */
export async function readEvents(
  db: Kysely<HistoryTables>,
  { since, actors, actions, outcomes, limit }: AccessEventFilter,
): Promise<readonly ChainedAccessEvent[]> {
  let query = db.selectFrom('access_events').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit);
  if (since !== undefined) query = query.where('at', '>=', Math.floor(since));
  if (actors !== undefined) query = query.where('email', 'in', actors);
  if (actions !== undefined) query = query.where('action', 'in', actions);
  if (outcomes !== undefined) query = query.where('outcome', 'in', outcomes);
  const rows = await query.execute();
  return rows.map((row) => {
    const event = fromRow(row);
    return { ...event, before: valueOf(event.before), after: valueOf(event.after) };
  });
}

export function fromRow(row: Row): StoredAccessEvent {
  const { writer, sequence, id, at, email, action, target, before, after, address, hash } = row;
  return {
    writer,
    sequence,
    id,
    at,
    actor: { email, via: row.via as AccessEvent['actor']['via'], keyId: row.key_id },
    action,
    target,
    outcome: row.outcome as AccessOutcome,
    before,
    after,
    requestId: row.request_id,
    address,
    hash,
    previousHash: row.previous_hash,
  };
}

function toRow({ actor, requestId, previousHash, ...event }: StoredAccessEvent): Row {
  return { ...event, email: actor.email, via: actor.via, key_id: actor.keyId, request_id: requestId, previous_hash: previousHash };
}

/** A changed row may hold any text: it is shown as it is, and found by verification. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
