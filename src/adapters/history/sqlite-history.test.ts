import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { History } from '../../ports/history.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS } from '../../runtime/metrics.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { openSqliteHistory } from './sqlite-history.ts';
import { MOST_WAITING, WriteQueue } from './write-queue.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-history-'));
  folders.push(folder);
  return folder;
}

function open(path: string, clock = new FakeClock()): Promise<History> {
  const machine = new FakeClock();
  return openSqliteHistory({ path, retentionMs: 1e9, maxBytes: 1e9, clock, machine, logger: SILENT_LOGGER, metrics: NO_METRICS });
}

describe('SqliteHistory', () => {
  test('a path that cannot be opened fails with the path and the remedy', async () => {
    await expect(open(join(aFolder(), 'no', 'such', 'folder', 'h.sqlite'))).rejects.toThrow(/h\.sqlite.*set history\.url/s);
    const notDatabase = join(aFolder(), 'text');
    writeFileSync(notDatabase, 'this is a text and no database, long enough to be told apart'.repeat(20));
    await expect(open(notDatabase)).rejects.toThrow(/opening the history store/);
  });
});

describe('WriteQueue', () => {
  test('past its bound the oldest go, and are counted', () => {
    const queue = new WriteQueue();
    queue.add(
      'cluster',
      Array.from({ length: MOST_WAITING + 5 }, (_, at) => ({ at }) as never),
    );
    expect([queue.size, queue.dropped]).toEqual([MOST_WAITING, 5]);
    expect(queue.takeAll().cluster[0]?.at).toBe(5);
  });
});
