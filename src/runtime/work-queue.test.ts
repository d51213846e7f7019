import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FakeActivity, FakeClock, settle } from '../../test/fakes/fake-clock.ts';
import { SeededRandom } from './random.ts';
import { WorkQueue } from './work-queue.ts';

function aQueue() {
  const clock = new FakeClock();
  const machine = new FakeClock();
  const activity = new FakeActivity();
  const queue = new WorkQueue({ clock, machine, activity, random: new SeededRandom(1) });
  return { queue, clock, machine, activity };
}

async function takeKey(queue: WorkQueue): Promise<string | undefined> {
  return (await queue.take())?.key;
}

describe('WorkQueue', () => {
  test('a key added twice is worked on once', async () => {
    const { queue } = aQueue();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect([await takeKey(queue), await takeKey(queue)]).toEqual(['a', 'b']);
    expect(queue.depth).toBe(2);
  });

  test('a key that changes while it is worked on comes back, and only after it is done', async () => {
    const { queue } = aQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    let again: string | undefined;
    void takeKey(queue).then((key) => (again = key));
    await settle();
    expect(again).toBeUndefined();
    queue.done('a');
    await settle();
    expect(again).toBe('a');
  });

  test('safety goes first, first lists last', async () => {
    const { queue } = aQueue();
    queue.add('list', 'low');
    queue.add('change');
    queue.add('oom', 'high');
    expect([await takeKey(queue), await takeKey(queue), await takeKey(queue)]).toEqual(['oom', 'change', 'list']);
  });

  test('a waiting key can be raised, never lowered', async () => {
    const { queue } = aQueue();
    queue.add('a');
    queue.add('b', 'low');
    queue.add('b', 'high');
    queue.add('b', 'low');
    expect(await takeKey(queue)).toBe('b');
  });

  test('a look replaces the periodic one that was still to come', async () => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', 1000);
    queue.add('a');
    expect(await takeKey(queue)).toBe('a');
    queue.done('a');
    await clock.advance(1000);
    expect(queue.depth).toBe(0);
  });

  test('a look leaves what a change asked for, also where a periodic one would have come first', async () => {
    for (const plan of [['normal'], ['low', 'normal'], ['normal', 'low']] as const) {
      const { queue, clock } = aQueue();
      for (const [place, priority] of plan.entries()) queue.addAfter('a', 1000 + place, priority);
      queue.add('a');
      expect(await takeKey(queue)).toBe('a');
      queue.done('a');
      await clock.advance(1000);
      expect(queue.depth).toBe(1);
    }
  });

  test('of several delays the earliest holds', async () => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', 1000);
    queue.addAfter('a', 100);
    queue.addAfter('a', 5000);
    await clock.advance(99);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
    expect(clock.waiting).toBe(0);
  });

  test('delays in domain time leave the virtual clock free, retries in machine time hold it', async () => {
    const { queue, activity, machine } = aQueue();
    queue.addAfter('a', 1000);
    expect(activity.count).toBe(0);
    queue.addRateLimited('b');
    expect(activity.count).toBe(1);
    await machine.advance(10);
    expect(await takeKey(queue)).toBe('b');
    expect(activity.count).toBe(1);
    queue.done('b');
    expect(activity.count).toBe(0);
  });

  test('each failure waits longer, up to five minutes; success starts over', () => {
    const { queue } = aQueue();
    const delays = Array.from({ length: 25 }, () => queue.addRateLimited('a'));
    expect(delays[0]).toBeLessThanOrEqual(5);
    expect(delays[24]).toBeGreaterThanOrEqual(150_000);
    expect(delays[24]).toBeLessThanOrEqual(300_000);
    queue.forget('a');
    expect(queue.addRateLimited('a')).toBeLessThanOrEqual(5);
  });

  test('stopping answers those who wait and holds nothing', async () => {
    const { queue, activity, clock, machine } = aQueue();
    const waiting = queue.take();
    queue.addAfter('a', 10);
    queue.addRateLimited('b');
    queue.stop();
    expect(await waiting).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
    expect([activity.count, clock.waiting, machine.waiting]).toEqual([0, 0, 0]);
  });

  test('never gives one key to two workers, loses none, and ends idle', async () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), action: fc.constantFrom('add', 'take', 'done') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue, activity } = aQueue();
        const inWork = new Set<string>();
        const wanted = new Set<string>();
        const take = async (): Promise<void> => {
          const before = queue.depth - inWork.size;
          if (before <= 0) return;
          const key = await takeKey(queue);
          if (key === undefined) throw new Error('took nothing');
          if (inWork.has(key)) throw new Error(`${key} is worked on twice`);
          inWork.add(key);
          wanted.delete(key);
        };
        for (const { key, action } of steps) {
          if (action === 'add') {
            queue.add(key);
            wanted.add(key);
          } else if (action === 'done' && inWork.delete(key)) queue.done(key);
          else if (action === 'take' && [...wanted].some((each) => !inWork.has(each))) await take();
        }
        for (const key of inWork) queue.done(key);
        inWork.clear();
        while (wanted.size > 0) {
          await take();
          for (const key of inWork) queue.done(key);
          inWork.clear();
        }
        expect(activity.count).toBe(0);
      }),
    );
  });
});
