import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FakeActivity, FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
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
  test('a key added twice is processed once', async () => {
    const { queue } = aQueue();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect([await takeKey(queue), await takeKey(queue)]).toEqual(['a', 'b']);
    expect(queue.depth).toBe(2);
  });

  test('a key added while it is processed is queued again once it is done', async () => {
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

  test('high priority comes first, low last', async () => {
    const { queue } = aQueue();
    queue.add('list', 'low');
    queue.add('change');
    queue.add('oom', 'high');
    expect([await takeKey(queue), await takeKey(queue), await takeKey(queue)]).toEqual(['oom', 'change', 'list']);
  });

  test('the priority of a queued key can be raised, not lowered', async () => {
    const { queue } = aQueue();
    queue.add('a');
    queue.add('b', 'low');
    queue.add('b', 'high');
    queue.add('b', 'low');
    expect(await takeKey(queue)).toBe('b');
  });

  test('taking a key cancels its pending periodic requeue', async () => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', 1000);
    queue.add('a');
    expect(await takeKey(queue)).toBe('a');
    queue.done('a');
    await clock.advance(1000);
    expect(queue.depth).toBe(0);
  });

  test('taking a key keeps a requeue that a change requested, also where a periodic one was due first', async () => {
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

  test('the earliest of several delays applies', async () => {
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

  test('delays in domain time do not stop the virtual clock, retries in machine time do', async () => {
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

  test('each failure waits longer, up to five minutes; a success resets the delay', () => {
    const { queue } = aQueue();
    const delays = Array.from({ length: 25 }, () => queue.addRateLimited('a'));
    expect(delays[0]).toBeLessThanOrEqual(5);
    expect(delays[24]).toBeGreaterThanOrEqual(150_000);
    expect(delays[24]).toBeLessThanOrEqual(300_000);
    queue.forget('a');
    expect(queue.addRateLimited('a')).toBeLessThanOrEqual(5);
  });

  test('a stop resolves waiting takers and leaves no timer', async () => {
    const { queue, activity, clock, machine } = aQueue();
    const waiting = queue.take();
    queue.addAfter('a', 10);
    queue.addRateLimited('b');
    queue.stop();
    expect(await waiting).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
    expect([activity.count, clock.waiting, machine.waiting]).toEqual([0, 0, 0]);
  });

  test('never gives a key to two workers, loses none, and ends idle', async () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), action: fc.constantFrom('add', 'take', 'done') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue, activity } = aQueue();
        const processing = new Set<string>();
        const queued = new Set<string>();
        const take = async (): Promise<void> => {
          const before = queue.depth - processing.size;
          if (before <= 0) return;
          const key = await takeKey(queue);
          if (key === undefined) throw new Error('took nothing');
          if (processing.has(key)) throw new Error(`${key} is processed twice`);
          processing.add(key);
          queued.delete(key);
        };
        for (const { key, action } of steps) {
          if (action === 'add') {
            queue.add(key);
            queued.add(key);
          } else if (action === 'done' && processing.delete(key)) queue.done(key);
          else if (action === 'take' && [...queued].some((candidate) => !processing.has(candidate))) await take();
        }
        for (const key of processing) queue.done(key);
        processing.clear();
        while (queued.size > 0) {
          await take();
          for (const key of processing) queue.done(key);
          processing.clear();
        }
        expect(activity.count).toBe(0);
      }),
    );
  });
});
