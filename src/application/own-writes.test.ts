import { beforeEach, describe, expect, test } from '@jest/globals';
import { FakeClusterReader } from '../../test/fakes/fake-cluster-reader.ts';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { OwnWrites } from './own-writes.ts';

let cluster: FakeClusterReader;
let timer: ManualClock;
let writes: OwnWrites;
beforeEach(() => {
  cluster = new FakeClusterReader();
  timer = new ManualClock(0);
  writes = new OwnWrites(cluster, timer);
});

const told = () => cluster.announce({ kind: 'workload', key: 'shop/Deployment/web' });
/** Whether it has ended once everything that could be done was done. */
async function ended(waiting: Promise<void>): Promise<boolean> {
  let isOver = false;
  void waiting.then(() => (isOver = true));
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return isOver;
}

describe('who has written', () => {
  test('waits for nothing where everything is seen', async () => {
    writes.expect(() => true);
    expect(await ended(writes.caughtUp())).toBe(true);
    expect(cluster.listeners).toBe(0);
  });

  test('waits until the informers have told of all of it', async () => {
    const seen = [false, false];
    seen.forEach((_, index) => writes.expect(() => seen[index] === true));
    const waiting = writes.caughtUp();
    seen[0] = true;
    told();
    expect(await ended(waiting)).toBe(false);
    seen[1] = true;
    told();
    expect(await ended(waiting)).toBe(true);
    expect(cluster.listeners).toBe(0);
  });

  test('waits for it also where somebody else is waiting already', async () => {
    let seen = false;
    writes.expect(() => seen);
    const waiting = [writes.caughtUp(), writes.caughtUp()];
    for (const each of waiting) expect(await ended(each)).toBe(false);
    seen = true;
    told();
    for (const each of waiting) expect(await ended(each)).toBe(true);
    expect(cluster.listeners).toBe(0);
  });

  test('does not wait for ever', async () => {
    writes.expect(() => false);
    const waiting = writes.caughtUp();
    told();
    expect(await ended(waiting)).toBe(false);
    timer.advance(500);
    expect(await ended(waiting)).toBe(true);
    expect(cluster.listeners).toBe(0);
  });
});
