// The contract of the History port, kept by SQLite. PostgreSQL keeps the same in test/controlplane/history-postgres.test.ts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openSqliteHistory } from '../../src/adapters/history/sqlite-history.ts';
import { SILENT_LOGGER } from '../../src/runtime/logging.ts';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { historyBounds, historyCases } from './history-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'evenkeel-history-'));
const path = join(folder, 'history.sqlite');
const clock = new FakeClock();

function open(bounds: { readonly retentionMs: number; readonly maxBytes: number }) {
  return openSqliteHistory({ path, ...bounds, clock, machine: new FakeClock(), logger: SILENT_LOGGER, metrics: NO_METRICS });
}

function clear(): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

afterAll(() => rmSync(folder, { recursive: true }));

describe('History in SQLite', () => {
  historyCases({ open: () => open({ retentionMs: 1e9, maxBytes: 1e12 }), clear: async () => clear() });

  test('is of one process: nothing is shared through it', async () => {
    const history = await open({ retentionMs: 1e9, maxBytes: 1e12 });
    expect(history.shared).toBeNull();
    await history.close();
  });
});

describe('History in SQLite, bounded', () => {
  historyBounds((bounds) => {
    clear();
    return open(bounds);
  }, clock);
});
