import { beforeEach, describe, expect, test } from '@jest/globals';
import { FakeClusterReader } from '../../test/fakes/fake-cluster-reader.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { OwnWrites } from './own-writes.ts';

let cluster: FakeClusterReader;
let timer: ManualClock;
let writes: OwnWrites;
beforeEach(() => {
  cluster = new FakeClusterReader();
  timer = new ManualClock(0);
  writes = new OwnWrites(cluster, timer);
});

const announceChange = () => cluster.announce({ kind: 'workload', key: 'shop/Deployment/web' });
/** Whether the promise is resolved after all pending microtasks. */
async function isResolved(waiting: Promise<void>): Promise<boolean> {
  let resolved = false;
  void waiting.then(() => (resolved = true));
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return resolved;
}

describe('a response to a write', () => {
  test('does not wait where every write is observed', async () => {
    writes.expect(() => true);
    expect(await isResolved(writes.waitUntilObserved())).toBe(true);
    expect(cluster.listeners).toBe(0);
  });

  test('waits until the informers show every write', async () => {
    const observed = [false, false];
    observed.forEach((_, index) => writes.expect(() => observed[index] === true));
    const waiting = writes.waitUntilObserved();
    observed[0] = true;
    announceChange();
    expect(await isResolved(waiting)).toBe(false);
    observed[1] = true;
    announceChange();
    expect(await isResolved(waiting)).toBe(true);
    expect(cluster.listeners).toBe(0);
  });

  test('waits also where another response waits already', async () => {
    let observed = false;
    writes.expect(() => observed);
    const waiting = [writes.waitUntilObserved(), writes.waitUntilObserved()];
    for (const response of waiting) expect(await isResolved(response)).toBe(false);
    observed = true;
    announceChange();
    for (const response of waiting) expect(await isResolved(response)).toBe(true);
    expect(cluster.listeners).toBe(0);
  });

  test('waits for at most 500 ms', async () => {
    writes.expect(() => false);
    const waiting = writes.waitUntilObserved();
    announceChange();
    expect(await isResolved(waiting)).toBe(false);
    timer.advance(500);
    expect(await isResolved(waiting)).toBe(true);
    expect(cluster.listeners).toBe(0);
  });
});
