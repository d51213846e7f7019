// The contract of the history store, for SQLite. test/controlplane/history-postgres.test.ts has that for PostgreSQL.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openNodeSqlite } from '../../src/adapters/history/node-sqlite.ts';
import { SQLITE_TYPES, type SchemaStep } from '../../src/adapters/history/schema-steps.ts';
import { openSqliteHistory } from '../../src/adapters/history/sqlite-history.ts';
import { SILENT_LOGGER } from '../../src/runtime/logging.ts';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { historyBounds, historyCases, untilPruned } from './history-cases.ts';
import { accessEventCases, accessEventRetentionCases } from './access-event-cases.ts';
import { ACCESS_EVENT_OPTIONS } from '../fakes/test-signer.ts';
import { schemaCases, tablesOfVersion2 } from './schema-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'evenkeel-history-'));
const path = join(folder, 'history.sqlite');
const clock = new FakeClock();

const LARGE = { retentionMs: 1e9, maxBytes: 1e12 };

interface Bounds extends Partial<typeof ACCESS_EVENT_OPTIONS> {
  readonly retentionMs: number;
  readonly maxBytes: number;
  readonly steps?: readonly SchemaStep[];
}

function open(bounds: Bounds) {
  return openSqliteHistory({
    ...ACCESS_EVENT_OPTIONS,
    path,
    ...bounds,
    clock,
    machine: new FakeClock(),
    logger: SILENT_LOGGER,
    metrics: NO_METRICS,
  });
}

function clear(): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

async function query(statement: string): Promise<readonly object[]> {
  const { raw } = openNodeSqlite(path);
  try {
    return raw
      .prepare(statement)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    raw.close();
  }
}

afterAll(() => rmSync(folder, { recursive: true }));

describe('History in SQLite', () => {
  historyCases({ open: () => open(LARGE), clear: async () => clear() });

  test('serves one process: nothing is shared through it', async () => {
    const history = await open(LARGE);
    expect(history.shared).toBeNull();
    await history.close();
  });
});

describe('Access events in SQLite', () => {
  const subject = { open: (options = {}) => open({ ...LARGE, ...options }), clear: async () => clear(), query };
  accessEventCases(subject);
  accessEventRetentionCases(subject, clock);
});

describe('The schema in SQLite', () => {
  schemaCases({
    open: (steps) => open(steps === undefined ? LARGE : { ...LARGE, steps }),
    clear: async () => clear(),
    query,
    createTablesOfVersion2: async () => {
      for (const statement of tablesOfVersion2(SQLITE_TYPES)) await query(statement);
    },
    readVersion: async () => ((await query('pragma user_version'))[0] as { user_version: number }).user_version,
    writeVersion: async (version) => {
      await query(`pragma user_version = ${version}`);
    },
  });
});

describe('History in SQLite, bounded', () => {
  historyBounds((bounds) => {
    clear();
    return open(bounds);
  }, clock);

  test('the retention also deletes entries that versions before schema 3 stored', async () => {
    clear();
    await (await open(LARGE)).close();
    const at = clock.now();
    await query(`insert into applied (id, at, workload, body) values ('old', ${at}, 'w', '{}'), ('new', ${at + 60_000}, 'w', '{}')`);
    const history = await open({ retentionMs: 60_000, maxBytes: 1e12 });
    await clock.advance(61_000);
    await untilPruned(history, clock);
    await history.close();
    expect(await query('select id from applied')).toEqual([{ id: 'new' }]);
  });
});
