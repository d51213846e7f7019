import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Logger } from '../../ports/logger.ts';
import type { HistoryStore } from '../../ports/store/history-store.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS } from '../../runtime/metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { openSqliteHistory } from './sqlite-history.ts';
import { MAX_WAITING, WriteQueue } from './write-queue.ts';
import { anAccessEvent } from '../../../test/builders/access-events.ts';
import { ACCESS_EVENT_OPTIONS } from '../../../test/fakes/test-signer.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-history-'));
  folders.push(folder);
  return folder;
}

function open(
  path: string,
  clock = new FakeClock(),
  options: { readonly maxBytes?: number; readonly logger?: Logger } = {},
): Promise<HistoryStore> {
  const machine = new FakeClock();
  return openSqliteHistory({
    ...ACCESS_EVENT_OPTIONS,
    path,
    retentionMs: 1e9,
    maxBytes: 1e9,
    clock,
    machine,
    logger: SILENT_LOGGER,
    metrics: NO_METRICS,
    ...options,
  });
}

describe('SqliteHistory', () => {
  test('other events are served while many rows are written', async () => {
    const clock = new FakeClock();
    const history = await open(':memory:', clock);
    const usage = Array.from({ length: 2_000 }, (_, index) => ({
      key: `shop/Deployment/api-${index}/main`,
      at: clock.now(),
      cpuMillicores: index,
      memoryBytes: index,
      replicas: 1,
    }));
    history.appendUsage(usage);
    const progress = { isWriting: true, served: 0 };
    const written = history.flush().then(() => (progress.isWriting = false));
    while (progress.isWriting) {
      await new Promise((resolve) => setImmediate(resolve));
      progress.served += 1;
    }
    await written;
    expect(progress.served).toBeGreaterThanOrEqual(10);
    expect(await history.readUsage({ keyPrefix: 'shop/', from: clock.now(), to: clock.now() })).toHaveLength(usage.length);
    await history.close();
  });

  test('a path that cannot be opened fails with the path and the remedy', async () => {
    await expect(open(join(aFolder(), 'no', 'such', 'folder', 'h.sqlite'))).rejects.toThrow(/h\.sqlite.*set history\.url/s);
  });

  test('access events that are removed before their retention, as they fill their part of the store, are in the log', async () => {
    const warnings: string[] = [];
    const logger = { ...SILENT_LOGGER, warn: (message: string) => void warnings.push(message) };
    const clock = new FakeClock();
    const history = await open(join(aFolder(), 'h.sqlite'), clock, { maxBytes: 1, logger });
    for (let index = 1; index <= 600; index += 1) {
      history.appendAccessEvent(anAccessEvent(index, clock.now()));
      await history.flush();
      await clock.advance(1_000);
    }
    expect(warnings).toEqual(['Removing access events before their retention: they fill their part of the store']);
    await history.close();
  });

  test('a damaged file is moved aside with its -wal and -shm files, at most three are kept, and a new store is used and reported', async () => {
    const folder = aFolder();
    const path = join(folder, 'h.sqlite');
    const clock = new FakeClock(Date.parse('2026-11-23T10:00:00Z'));
    for (let time = 0; time < 4; time += 1) {
      writeFileSync(path, 'this is a text and no database, long enough to be recognised'.repeat(20));
      writeFileSync(`${path}-wal`, 'as damaged');
      const history = await open(path, clock);
      expect(history.status()).toMatchObject({
        ok: true,
        message: expect.stringMatching(/^writable; a damaged file was moved to .*h\.sqlite/),
      });
      await history.close();
      await clock.advance(60_000);
    }
    const kept = readdirSync(folder).filter((name) => /damaged-[^w]*$/.test(name) && !/-(wal|shm)$/.test(name));
    expect(kept.map((name) => name.slice('h.sqlite.damaged-'.length))).toEqual(
      [1, 2, 3].map((minute) => `2026-11-23T10-0${minute}-00.000Z`),
    );
    const later = await open(path, clock);
    expect(later.status().message).toBe('writable');
    await later.close();
  });

  test('a file that is damaged while in use is moved aside, and later rows go to a new one', async () => {
    const path = join(aFolder(), 'h.sqlite');
    const history = await open(path);
    const checkpoint = (key: string) => ({ key, savedAt: 1, version: 1, data: new Uint8Array(8_000).fill(7) });
    const many = Array.from({ length: 600 }, (_, each) => checkpoint(`${each}`));
    await history.saveCheckpoints(many, 0);
    // Overwrites every page but the first, as a failing disk would.
    truncateSync(`${path}-wal`, 0);
    writeFileSync(path, readFileSync(path).fill(0xff, 4_096));
    await history.saveCheckpoints(many.slice(0, 300), 0).catch(() => undefined);
    await history.saveCheckpoints([checkpoint('after')], 0);
    const keys: string[] = [];
    for await (const { key } of history.loadCheckpoints()) keys.push(key);
    expect(keys).toContain('after');
    history.appendCycle({ id: 'c', startedAt: 1 } as never);
    await history.flush();
    expect(history.status()).toMatchObject({ ok: true, message: expect.stringMatching(/^writable; a damaged file was moved to /) });
    await history.close();
  });
});

describe('WriteQueue', () => {
  test('above its bound the oldest rows are dropped and counted', () => {
    const queue = new WriteQueue();
    queue.add(
      'cluster',
      Array.from({ length: MAX_WAITING + 5 }, (_, at) => ({ at }) as never),
    );
    expect([queue.size, queue.dropped]).toEqual([MAX_WAITING, 5]);
    expect(queue.takeAll().cluster[0]?.at).toBe(5);
  });
});
