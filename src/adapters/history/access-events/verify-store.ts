import { Kysely, SqliteDialect } from 'kysely';
import type { AccessEventVerification, ChainWitnesses } from '../../../ports/store/access-events.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import { openNodeSqliteReadOnly } from '../node-sqlite.ts';
import { readPostgresAddress, type PostgresAddressOptions } from '../postgres-address.ts';
import { connectToPostgres } from '../postgres-history.ts';
import type { HistoryTables } from '../tables.ts';
import { verifyEvents } from './verify-events.ts';

const SQLITE = 'sqlite:';

/**
 * Verifies the access events of a store without changing it, also while a controller writes to it.
 * @throws Error where it cannot be opened or read
 */
export async function verifyStore(
  address: PostgresAddressOptions,
  witnesses: ChainWitnesses,
  signer: RecordSigner,
): Promise<AccessEventVerification> {
  const db = open(address);
  try {
    return await verifyEvents((work) => work(db), witnesses, signer);
  } finally {
    await db.destroy();
  }
}

function open(address: PostgresAddressOptions): Kysely<HistoryTables> {
  const { url } = address;
  if (!url.startsWith(SQLITE)) return connectToPostgres(readPostgresAddress(address), 'audit verify');
  return new Kysely<HistoryTables>({ dialect: new SqliteDialect({ database: openNodeSqliteReadOnly(url.slice(SQLITE.length)) }) });
}
