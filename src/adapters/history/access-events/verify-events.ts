import type { Kysely } from 'kysely';
import type { ChainPoint } from '../../../core/access/events/event-chain.ts';
import { ChainVerifier, type ChainFault } from '../../../core/access/events/verify-chain.ts';
import type { AccessEventVerification, ChainWitnesses } from '../../../ports/store/access-events.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import type { HistoryTables } from '../tables.ts';
import { readMark, type MarkKind } from './chain-marks.ts';
import { hashOf } from './event-outbox.ts';
import { fromRow } from './event-rows.ts';

/** A page is hashed in about 10 ms; requests are served between two pages. */
const EVENTS_PER_PAGE = 500;

interface Chain {
  readonly head: ChainPoint | null;
  readonly anchor: ChainPoint | null;
  readonly isSigned: boolean;
  readonly faults: readonly ChainFault[];
}

type Run = <T>(work: (db: Kysely<HistoryTables>) => Promise<T>) => Promise<T>;

/** Verifies every chain of the store. Events that are appended or removed by retention meanwhile are no faults. */
export async function verifyEvents(run: Run, witnesses: ChainWitnesses, signer: RecordSigner): Promise<AccessEventVerification> {
  const stored = await run((db) => listWriters(db));
  const writers = [...new Set([...stored, ...witnesses.keys()])].toSorted();
  const faults: ChainFault[] = [];
  const unsigned: string[] = [];
  const heads: (ChainPoint & { readonly writer: string })[] = [];
  let events = 0;
  for (const writer of writers) {
    const result = await verifyChain(run, writer, witnesses.get(writer) ?? [], signer);
    faults.push(...result.faults);
    if (!result.isSigned) unsigned.push(writer);
    events += result.events;
    if (result.head !== null) heads.push({ writer, ...result.head });
  }
  const state = faults.length > 0 ? 'broken' : unsigned.length > 0 ? 'unsigned' : 'intact';
  return { state, events, chains: writers.length, faults, unsigned, heads };
}

async function verifyChain(run: Run, writer: string, witnesses: readonly ChainPoint[], signer: RecordSigner) {
  for (;;) {
    const chain = await run((db) => readChain(db, writer, signer));
    const verifier = new ChainVerifier({ ...chain, writer, witnesses }, hashOf);
    // Up to the head as it was read: later events are being appended.
    const until = chain.head?.sequence ?? Number.MAX_SAFE_INTEGER;
    for (let after = -1; ;) {
      const from = after;
      const rows = await run((db) =>
        db
          .selectFrom('access_events')
          .selectAll()
          .where('writer', '=', writer)
          .where('sequence', '>', from)
          .orderBy('sequence')
          .limit(EVENTS_PER_PAGE)
          .execute(),
      );
      for (const row of rows) if (row.sequence <= until) verifier.add(fromRow(row));
      const last = rows.at(-1);
      if (last === undefined || rows.length < EVENTS_PER_PAGE || last.sequence > until) break;
      after = last.sequence;
    }
    const now = await run((db) => readChain(db, writer, signer));
    // Retention removed events meanwhile.
    if (now.anchor?.sequence !== chain.anchor?.sequence) continue;
    const faults = [...chain.faults, ...verifier.end(), ...(await run((db) => findEventsAfter(db, writer, now.head)))];
    return { faults, isSigned: now.isSigned, head: now.head, events: verifier.events };
  }
}

/** Events behind the head, which are written together with it. */
async function findEventsAfter(db: Kysely<HistoryTables>, writer: string, head: ChainPoint | null): Promise<readonly ChainFault[]> {
  if (head === null) return [];
  const rows = await db
    .selectFrom('access_events')
    .select(['sequence', 'id'])
    .where('writer', '=', writer)
    .where('sequence', '>', head.sequence)
    .orderBy('sequence')
    .limit(1)
    .execute();
  const again = await readSequence(db, writer);
  return rows
    .filter(({ sequence }) => sequence > again)
    .map(({ sequence, id }) => {
      return { kind: 'inserted' as const, writer, sequence, id, message: `${id} was inserted: the chain ends before it` };
    });
}

async function readSequence(db: Kysely<HistoryTables>, writer: string): Promise<number> {
  const head = await db
    .selectFrom('access_chains')
    .select('sequence')
    .where('writer', '=', writer)
    .where('mark', '=', 'head')
    .executeTakeFirst();
  return head?.sequence ?? 0;
}

async function readChain(db: Kysely<HistoryTables>, writer: string, signer: RecordSigner): Promise<Chain> {
  const rows = await db.selectFrom('access_chains').selectAll().where('writer', '=', writer).execute();
  const marks = rows.map((row) => {
    const read = readMark(signer, writer, row.mark, row.record);
    return { ...row, read: read.kind === 'point' && read.point.sequence === row.sequence ? read : null };
  });
  const faults: ChainFault[] = marks.flatMap(({ mark, sequence, read }) => {
    const what = mark === 'head' ? 'the head of the chain' : 'the anchor, the last event that retention has removed,';
    const message = `${writer}: ${what} was changed, or signed with another key than that of the Secret evenkeel-record-key`;
    return read === null ? [{ kind: 'head', writer, sequence, id: null, message }] : [];
  });
  if (!marks.some(({ mark }) => mark === 'head')) {
    faults.push({ kind: 'head', writer, sequence: 0, id: null, message: `${writer}: the head of the chain was removed` });
  }
  const pointOf = (kind: MarkKind): ChainPoint | null => marks.find(({ mark }) => mark === kind)?.read?.point ?? null;
  const [head, anchor] = [pointOf('head'), pointOf('anchor')];
  return { head, anchor, isSigned: head !== null && marks.every(({ read }) => read?.isSigned === true), faults };
}

async function listWriters(db: Kysely<HistoryTables>): Promise<readonly string[]> {
  const marked = await db.selectFrom('access_chains').select('writer').distinct().execute();
  const written = await db.selectFrom('access_events').select('writer').distinct().execute();
  return [...marked, ...written].map(({ writer }) => writer);
}
