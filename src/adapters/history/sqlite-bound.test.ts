import { afterEach, expect, test } from '@jest/globals';
import { Kysely, SqliteDialect } from 'kysely';
import { openNodeSqlite } from './node-sqlite.ts';
import { SqliteEngine } from './sqlite-history.ts';
import type { HistoryTables } from './tables.ts';

const database = openNodeSqlite(':memory:');
const store = { db: new Kysely<HistoryTables>({ dialect: new SqliteDialect({ database }) }), note: null };
const engine = new SqliteEngine(store, () => Promise.reject(new Error('not asked for')));
afterEach(() => engine.close());

test('free pages do not count towards the size bound', async () => {
  const usedBytes = (): Promise<number> => engine.run('measuring', (db) => engine.usedBytes(db));
  database.raw.exec('CREATE TABLE rows (data BLOB)');
  const empty = await usedBytes();
  database.raw.exec('INSERT INTO rows VALUES (zeroblob(1000000)); DELETE FROM rows');
  expect(await usedBytes()).toBe(empty);
});
