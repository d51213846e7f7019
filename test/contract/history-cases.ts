// The contract of a history store, for every database.

import { expect, test } from '@jest/globals';
import type { UsageCheckpoint } from '../../src/ports/usage/checkpoint-store.ts';
import type { HistoryStore } from '../../src/ports/store/history-store.ts';
import type { ResizeCycle } from '../../src/ports/store/resize-cycle-log.ts';
import type { TimelineEntry } from '../../src/ports/store/timeline.ts';

/** An empty store, which can be closed and opened again. */
export interface HistoryUnderTest {
  open(): Promise<HistoryStore>;
  /** Deletes everything. */
  clear(): Promise<void>;
}

export const aCycle = (id: string, startedAt: number): ResizeCycle => ({
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

const WEB = { namespace: 'shop', kind: 'Deployment', name: 'web' };

export const anEntry = (id: string, at: number, name = 'web'): TimelineEntry => ({
  id,
  at,
  kind: 'resize',
  namespace: WEB.namespace,
  object: { kind: WEB.kind, name },
  pod: `${name}-1`,
  container: 'app',
  from: {},
  to: { cpu: '120m' },
  reason: 'over-provisioned',
  actor: 'policy/default',
  outcome: 'applied',
  // Text that a cluster may contain: quotes, other scripts, a NUL that PostgreSQL's text cannot represent, half a surrogate pair.
  message: `it's "done" – ñ 漢 🙂 \0 \ud800`,
  durationMs: 12.5,
  costDeltaPerHourUsd: null,
});

const aCheckpoint = (key: string, savedAt: number, data: readonly number[]): UsageCheckpoint => ({
  key,
  savedAt,
  version: 1,
  data: new Uint8Array(data),
});

/** Declares the contract as tests. */
export function historyCases(subject: HistoryUnderTest): void {
  async function fresh(): Promise<HistoryStore> {
    await subject.clear();
    return subject.open();
  }

  test('returns cycles and entries of the timeline, newest first, after it was closed and opened again', async () => {
    const first = await fresh();
    first.appendCycle(aCycle('c1', 1_000));
    first.appendCycle(aCycle('c2', 2_000.75));
    first.appendEntry(anEntry('a1', 1_000));
    first.appendEntry(anEntry('a2', 2_000.5));
    first.appendEntry(anEntry('a3', 3_000, 'other'));
    await first.close();

    const again = await subject.open();
    expect(await again.readCycles(10)).toEqual([aCycle('c2', 2_000.75), aCycle('c1', 1_000)]);
    expect((await again.readCycles(1)).map(({ id }) => id)).toEqual(['c2']);
    expect((await again.readEntries({ limit: 10 })).map(({ id }) => id)).toEqual(['a3', 'a2', 'a1']);
    expect(await again.readEntries({ object: WEB, limit: 5 })).toEqual([anEntry('a2', 2_000.5), anEntry('a1', 1_000)]);
    expect((await again.readEntries({ since: 2_000.5, limit: 10 })).map(({ id }) => id)).toEqual(['a3', 'a2']);
    await again.close();
  });

  test('calls listeners with each appended entry, until they unsubscribe', async () => {
    const history = await fresh();
    const received: string[] = [];
    const stop = history.onEntry(({ id }) => received.push(id));
    history.appendEntry(anEntry('a1', 1));
    stop();
    history.appendEntry(anEntry('a2', 2));
    expect(received).toEqual(['a1']);
    await history.close();
  });

  test('separates entries of cluster-scoped objects from those of namespaced objects of the same name', async () => {
    const history = await fresh();
    const node: TimelineEntry = {
      ...anEntry('n1', 2),
      kind: 'scale-down',
      namespace: null,
      object: { kind: 'Node', name: 'pool-a-1' },
      pod: null,
      container: null,
    };
    const namespaced: TimelineEntry = { ...node, id: 'n2', at: 1, namespace: 'shop' };
    history.appendEntry(node);
    history.appendEntry(namespaced);
    expect(await history.readEntries({ limit: 10 })).toEqual([node, namespaced]);
    expect(await history.readEntries({ object: { namespace: null, ...node.object }, limit: 10 })).toEqual([node]);
    expect(await history.readEntries({ object: { namespace: 'shop', ...node.object }, limit: 10 })).toEqual([namespaced]);
    const accepting = (...accepted: readonly (string | null)[]) =>
      history.readEntries({ acceptsNamespace: (namespace) => accepted.includes(namespace), limit: 1 });
    expect(await accepting('shop', 'pay')).toEqual([namespaced]);
    expect(await accepting(null, 'shop')).toEqual([node]);
    expect(await accepting('pay')).toEqual([]);
    await history.close();
  });

  test('reads its own writes immediately', async () => {
    const history = await fresh();
    history.appendEntry(anEntry('a1', 1));
    expect(await history.readEntries({ limit: 10 })).toEqual([anEntry('a1', 1)]);
    await history.close();
  });

  test('an entry that is written twice is stored once, in its last version', async () => {
    const history = await fresh();
    history.appendEntry(anEntry('a1', 1));
    history.appendEntry({ ...anEntry('a1', 1), outcome: 'rolled-back' });
    await history.flush();
    history.appendUsage([
      { key: 'shop/Deployment/web/app', at: 100, cpuMillicores: 1, memoryBytes: 1, replicas: 1 },
      { key: 'shop/Deployment/web/app', at: 100, cpuMillicores: 2, memoryBytes: 2, replicas: 1 },
    ]);
    expect((await history.readEntries({ limit: 10 })).map(({ outcome }) => outcome)).toEqual(['rolled-back']);
    const points = await history.readUsage({ keyPrefix: 'shop/', from: 0, to: 1_000 });
    expect(points.map(({ cpuMillicores }) => cpuMillicores)).toEqual([2]);
    await history.close();
  });

  test('reads usage by prefix and time, with gaps as null', async () => {
    const history = await fresh();
    history.appendUsage([
      { key: 'shop/Deployment/web/app', at: 100, cpuMillicores: 5.5, memoryBytes: null, replicas: 2 },
      { key: 'shop/Deployment/web/app', at: 200, cpuMillicores: 6, memoryBytes: 7, replicas: 2 },
      { key: 'shop/Deployment/web/App', at: 100, cpuMillicores: null, memoryBytes: 2 ** 45, replicas: 65_000 },
      { key: 'shop/Deployment/website/app', at: 150, cpuMillicores: 1, memoryBytes: 1, replicas: 1 },
      { key: 'shop/Deployment/web-a/app', at: 150, cpuMillicores: 1, memoryBytes: 1, replicas: 1 },
    ]);
    expect(await history.readUsage({ keyPrefix: 'shop/Deployment/web/', from: 0.25, to: 150.75 })).toEqual([
      { key: 'shop/Deployment/web/App', at: 100, cpuMillicores: null, memoryBytes: 2 ** 45, replicas: 65_000 },
      { key: 'shop/Deployment/web/app', at: 100, cpuMillicores: 5.5, memoryBytes: null, replicas: 2 },
    ]);
    await history.close();
  });

  test('reads points of the cluster in ascending order, with both ends of the range included', async () => {
    const history = await fresh();
    const point = (at: number, costPerHourUsd: number | null) => ({
      at,
      provisionedCpuMillicores: 1,
      provisionedMemoryBytes: 2,
      requestedCpuMillicores: 3,
      requestedMemoryBytes: 4,
      recommendedCpuMillicores: null,
      recommendedMemoryBytes: null,
      usedCpuMillicores: 5.5,
      usedMemoryBytes: 6,
      costPerHourUsd,
    });
    history.appendCluster(point(300, 0.1));
    history.appendCluster(point(100, null));
    history.appendCluster(point(200, 2));
    expect(await history.readCluster(100, 200)).toEqual([point(100, null), point(200, 2)]);
    await history.close();
  });

  test('stores the newest checkpoint of each key, more of them than one page, and deletes by key', async () => {
    const history = await fresh();
    const keys = Array.from({ length: 450 }, (_, index) => `shop/Deployment/web-${String(index).padStart(3, '0')}/app`);
    await history.saveCheckpoints(
      keys.map((key) => aCheckpoint(key, 1, [1, 2, 3])),
      0,
    );
    await history.saveCheckpoints([aCheckpoint(keys[7] ?? '', 2.5, [0, 255, 128])], 0);
    await history.deleteCheckpoints(keys.slice(10), 0);
    const found: [string, number, number[]][] = [];
    for await (const { key, savedAt, data } of history.loadCheckpoints()) found.push([key, savedAt, [...data]]);
    expect(found.map(([key]) => key)).toEqual(keys.slice(0, 10));
    expect(found[7]?.slice(1)).toEqual([2, [0, 255, 128]]);
    expect(found[0]?.slice(1)).toEqual([1, [1, 2, 3]]);
    await history.close();
  });

  test('neither replaces nor deletes a checkpoint for a leader of an earlier term', async () => {
    const history = await fresh();
    expect(await history.saveCheckpoints([aCheckpoint('a', 1, [1]), aCheckpoint('b', 1, [1])], 4)).toBeNull();
    expect(await history.saveCheckpoints([aCheckpoint('b', 2, [2])], 5)).toBeNull();
    expect(await history.saveCheckpoints([aCheckpoint('b', 3, [3]), aCheckpoint('c', 3, [3])], 4)).toBe(5);
    await history.deleteCheckpoints(['a', 'b'], 4);
    const found: [string, number[]][] = [];
    for await (const { key, data } of history.loadCheckpoints()) found.push([key, [...data]]);
    expect(found).toEqual([
      ['b', [2]],
      ['c', [3]],
    ]);
    await history.close();
  });

  test('accepts thousands of points at once', async () => {
    const history = await fresh();
    const points = Array.from({ length: 5_000 }, (_, index) => {
      return { key: `shop/Deployment/web-${index}/app`, at: 100, cpuMillicores: index, memoryBytes: index, replicas: 1 };
    });
    history.appendUsage(points);
    expect(await history.readUsage({ keyPrefix: 'shop/', from: 0, to: 100 })).toHaveLength(5_000);
    expect(history.status()).toMatchObject({ ok: true, message: 'writable' });
    await history.close();
  });
}

/** Flushes as often as needed until the store prunes old rows again. */
export async function untilPruned(history: HistoryStore, clock: { now(): number }): Promise<void> {
  for (let flush = 0; flush < 600; flush += 1) {
    history.appendCluster({ at: clock.now() } as never);
    await history.flush();
  }
}

/** Tests of retention and size, with a manual clock. @param open opens a store with these bounds */
export function historyBounds(
  open: (bounds: { readonly retentionMs: number; readonly maxBytes: number }) => Promise<HistoryStore>,
  clock: { advance(ms: number): Promise<void>; now(): number },
): void {
  test('rows older than the retention are deleted', async () => {
    const history = await open({ retentionMs: 60_000, maxBytes: 1e12 });
    history.appendCycle(aCycle('old', clock.now()));
    history.appendEntry(anEntry('old', clock.now()));
    await history.flush();
    await clock.advance(61_000);
    history.appendCycle(aCycle('new', clock.now()));
    await untilPruned(history, clock);
    expect((await history.readCycles(10)).map(({ id }) => id)).toEqual(['new']);
    expect(await history.readEntries({ limit: 10 })).toEqual([]);
    await history.close();
  });

  test('more rows than one statement may delete are deleted in batches, the oldest first', async () => {
    const history = await open({ retentionMs: 60_000, maxBytes: 1e12 });
    const hours = Array.from({ length: 40 }, (_, hour) => clock.now() + hour * 3_600_000);
    history.appendUsage(hours.map((at) => ({ key: 'shop/Deployment/web/app', at, cpuMillicores: 1, memoryBytes: 1, replicas: 1 })));
    await clock.advance(41 * 3_600_000);
    const remainingHours = async (): Promise<readonly number[]> => {
      await untilPruned(history, clock);
      return (await history.readUsage({ keyPrefix: 'shop/', from: 0, to: clock.now() })).map(({ at }) => at);
    };
    expect(await remainingHours()).toEqual(hours.slice(24));
    expect(await remainingHours()).toEqual([]);
    await history.close();
  });

  test('beyond its maximum size the oldest tenth of the time range is deleted, until the store fits', async () => {
    const history = await open({ retentionMs: 1e9, maxBytes: 1 });
    const begun = clock.now();
    const points = Array.from({ length: 100 }, (_, index) => {
      return { key: 'shop/Deployment/web/app', at: begun + index * 1_000, cpuMillicores: 1, memoryBytes: 1, replicas: 1 };
    });
    history.appendUsage(points);
    await clock.advance(100_000);
    await untilPruned(history, clock);
    const remaining = await history.readUsage({ keyPrefix: 'shop/', from: 0, to: begun + 200_000 });
    expect(remaining.length).toBeGreaterThanOrEqual(88);
    expect(remaining.length).toBeLessThanOrEqual(91);
    expect(remaining[0]?.at).toBeGreaterThan(begun + 5_000);
    await history.close();
  });
}
