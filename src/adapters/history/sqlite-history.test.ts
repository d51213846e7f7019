import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Logger } from '../../ports/logger.ts';
import type { HistoryStore } from '../../ports/store/history-store.ts';
import type { UsagePoint } from '../../ports/usage/usage-rollups.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS } from '../../runtime/metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { openSqliteHistory, SqliteEngine } from './sqlite-history.ts';
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

function manyPoints(): readonly UsagePoint[] {
  return Array.from({ length: 2_000 }, (_, index) => {
    return { key: `shop/Deployment/api-${index}/main`, at: 0, cpuMillicores: index, memoryBytes: index, replicas: 1 };
  });
}

/** Turns of the event loop until the work is done. */
async function turnsUntil(work: Promise<void>): Promise<number> {
  const progress = { isDone: false, turns: 0 };
  const done = work.then(() => (progress.isDone = true));
  while (!progress.isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    progress.turns += 1;
  }
  await done;
  return progress.turns;
}

describe('SqliteHistory', () => {
  test('other events are served while many rows are written', async () => {
    const history = await open(':memory:');
    history.appendUsage(manyPoints());
    expect(await turnsUntil(history.flush())).toBeGreaterThanOrEqual(10);
    expect(await history.readUsage({ keyPrefix: 'shop/', from: 0, to: 0 })).toHaveLength(2_000);
    await history.close();
  });

  test.each([
    ['waits', (): Promise<void> => Promise.resolve()],
    ['is being written', (history: HistoryStore): Promise<void> => history.flush()],
  ])('a stop writes what %s at once, since its time is limited', async (_, write) => {
    const path = join(aFolder(), 'h.sqlite');
    const history = await open(path);
    history.appendUsage(manyPoints());
    void write(history);
    expect(await turnsUntil(history.close())).toBeLessThanOrEqual(2);
    const reopened = await open(path);
    expect(await reopened.readUsage({ keyPrefix: 'shop/', from: 0, to: 0 })).toHaveLength(2_000);
    await reopened.close();
  });

  test('a stop also writes rows that come during its last write', async () => {
    const path = join(aFolder(), 'h.sqlite');
    const history = await open(path);
    const appendNext = () => {
      history.appendCluster({ at: 2 } as never);
      return { at: 1 };
    };
    history.appendCluster({ at: 1, toJSON: appendNext } as never);
    await history.close();
    const reopened = await open(path);
    expect(await reopened.readCluster(0, 2)).toEqual([{ at: 1 }, { at: 2 }]);
    await reopened.close();
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

  test('files that are damaged at the same instant are all kept', async () => {
    const folder = aFolder();
    const path = join(folder, 'h.sqlite');
    const clock = new FakeClock(Date.parse('2026-11-23T10:00:00Z'));
    for (const text of ['first', 'second']) {
      writeFileSync(path, `${text} text and no database, long enough to be recognised`.repeat(20));
      await (await open(path, clock)).close();
    }
    const texts = readdirSync(folder)
      .filter((name) => name.includes('damaged'))
      .map((name) => readFileSync(join(folder, name), 'utf8').split(' ', 1)[0]);
    expect(texts.toSorted()).toEqual(['first', 'second']);
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

describe('a damaged file that several operations find at once', () => {
  const damage = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
  const aStore = (name: string) => {
    const db = { name, isOpen: true, destroy: () => Promise.resolve(void (db.isOpen = false)) };
    return { db: db as never, note: name };
  };
  const operation = (db: unknown): Promise<string> => {
    const { name, isOpen } = db as { readonly name: string; readonly isOpen: boolean };
    if (!isOpen) return Promise.reject(new Error('closed'));
    return name === 'damaged' ? Promise.reject(damage) : Promise.resolve(name);
  };

  test('is replaced once', async () => {
    let replaced = 0;
    const engine = new SqliteEngine(aStore('damaged'), () => {
      replaced += 1;
      return Promise.resolve(aStore('new'));
    });
    expect(await Promise.all([engine.run('reading', operation), engine.run('writing', operation)])).toEqual(['new', 'new']);
    expect(replaced).toBe(1);
  });

  test('is replaced later where that fails', async () => {
    let attempts = 0;
    const engine = new SqliteEngine(aStore('damaged'), () => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error('the disk is full')) : Promise.resolve(aStore('new'));
    });
    await expect(engine.run('reading', operation)).rejects.toThrow('reading: the disk is full');
    await expect(engine.run('reading', operation)).resolves.toBe('new');
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
