import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AppliedValue, History, ResizeCycle } from '../../ports/history.ts';
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

const aCycle = (id: string, startedAt: number): ResizeCycle => ({
  id,
  startedAt,
  durationMs: 5,
  evaluated: 10,
  changed: 1,
  deferred: 0,
  blocked: 0,
  failed: 0,
  byReason: { cooldown: 2 },
  savings: { potentialPerMonthUsd: 1.5, reclaimedPerMonthUsd: null, realisedPerMonthUsd: null },
});

const anApplied = (id: string, at: number, name = 'web'): AppliedValue => ({
  id,
  at,
  workload: { namespace: 'shop', kind: 'Deployment', name },
  pod: `${name}-1`,
  container: 'app',
  from: {},
  to: {},
  reason: 'asks for more than it needs',
  actor: 'policy/default',
  outcome: 'applied',
  message: '',
});

describe('SqliteHistory', () => {
  test('gives back what was written, newest first, after the file was closed and opened again', async () => {
    const path = join(aFolder(), 'h.sqlite');
    const first = await open(path);
    first.appendCycle(aCycle('c1', 1));
    first.appendCycle(aCycle('c2', 2));
    first.appendApplied(anApplied('a1', 1));
    first.appendApplied(anApplied('a2', 2, 'other'));
    await first.saveCheckpoints([{ key: 'shop/Deployment/web/app', savedAt: 3, version: 1, data: new Uint8Array([1, 2, 3]) }]);
    await first.close();

    const again = await open(path);
    expect((await again.cycles(10)).map(({ id }) => id)).toEqual(['c2', 'c1']);
    expect(await again.applied({ workload: { namespace: 'shop', kind: 'Deployment', name: 'web' }, limit: 5 })).toEqual([
      anApplied('a1', 1),
    ]);
    const checkpoints = [];
    for await (const checkpoint of again.loadCheckpoints()) checkpoints.push(checkpoint);
    expect(checkpoints.map(({ key, data }) => [key, [...data]])).toEqual([['shop/Deployment/web/app', [1, 2, 3]]]);
    await again.close();
  });

  test('answers usage by prefix and time, gaps as null', async () => {
    const history = await open(':memory:');
    history.appendUsage([
      { key: 'shop/Deployment/web/app', at: 100, cpuMillicores: 5.5, memoryBytes: null, replicas: 2 },
      { key: 'shop/Deployment/web/app', at: 200, cpuMillicores: 6, memoryBytes: 7, replicas: 2 },
      { key: 'shop/Deployment/website/app', at: 150, cpuMillicores: 1, memoryBytes: 1, replicas: 1 },
    ]);
    const points = await history.usage({ keyPrefix: 'shop/Deployment/web/', from: 0, to: 150 });
    expect(points).toEqual([{ key: 'shop/Deployment/web/app', at: 100, cpuMillicores: 5.5, memoryBytes: null, replicas: 2 }]);
    await history.close();
  });

  test('the same entry written twice is kept once', async () => {
    const history = await open(':memory:');
    history.appendApplied(anApplied('a1', 1));
    history.appendApplied(anApplied('a1', 1));
    expect(await history.applied({ limit: 10 })).toHaveLength(1);
    await history.close();
  });

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
