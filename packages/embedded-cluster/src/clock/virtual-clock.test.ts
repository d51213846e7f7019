import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ManualClock } from '../../testing/manual-clock.ts';
import { CountingActivity } from './activity.ts';
import { ScaledClock } from './scaled-clock.ts';
import { VirtualClock, type ClockSpeed } from './virtual-clock.ts';

const T0 = Date.UTC(2026, 10, 1);

function aClock(options: { speed?: ClockSpeed; seed?: number } = {}) {
  const timer = new ManualClock(0);
  const activity = new CountingActivity();
  const clock = new VirtualClock({ startAt: T0, seed: options.seed ?? 1, speed: options.speed ?? 'max', timer, activity });
  return { clock, timer, activity };
}

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await aTurn();
}

describe('VirtualClock at max', () => {
  test('jumps from event to event in order of time, whatever the order of scheduling', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 40 }), async (delays) => {
        const { clock } = aClock();
        const seen: number[] = [];
        for (const delay of delays) clock.schedule(T0 + delay, () => seen.push(clock.now() - T0));
        await clock.runFor(2000);
        expect(seen).toEqual([...delays].sort((a, b) => a - b));
        expect(clock.now()).toBe(T0 + 2000);
      }),
      { numRuns: 30 },
    );
  });

  test('waits while there is activity', async () => {
    const { clock, activity } = aClock();
    let ran = false;
    const end = activity.begin('reconcile');
    clock.schedule(T0 + 10, () => (ran = true));
    const done = clock.runFor(100);
    await turns(5);
    expect(ran).toBe(false);
    expect(activity.holders()).toEqual({ reconcile: 1 });
    end();
    end();
    await done;
    expect(ran).toBe(true);
    expect(activity.count).toBe(0);
  });

  test('lets work that an event starts through promises finish before time moves on', async () => {
    const { clock, activity } = aClock();
    const seen: string[] = [];
    clock.schedule(T0 + 10, () => {
      void Promise.resolve().then(async () => {
        const end = activity.begin();
        await turns(3);
        seen.push(`worked at ${clock.now() - T0}`);
        end();
      });
    });
    clock.schedule(T0 + 20, () => seen.push('next event'));
    await clock.runFor(100);
    expect(seen).toEqual(['worked at 10', 'next event']);
  });

  test('orders events of the same time by the seed, in every run', async () => {
    const order = async (seed: number) => {
      const { clock } = aClock({ seed });
      const seen: number[] = [];
      for (let i = 0; i < 12; i++) clock.schedule(T0 + 5, () => seen.push(i));
      await clock.runFor(10);
      return seen;
    };
    const first = await order(7);
    expect(await order(7)).toEqual(first);
    expect(await order(8)).not.toEqual(first);
    expect([...first].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('runs tasks of the past at once but never synchronously, and never cancelled tasks', async () => {
    const { clock } = aClock();
    const seen: string[] = [];
    clock.schedule(T0 + 10, () => {
      clock.schedule(T0, () => seen.push('late'));
      seen.push('after scheduling');
      clock.schedule(T0 + 20, () => seen.push('cancelled'))();
    });
    await clock.runFor(100);
    expect(seen).toEqual(['after scheduling', 'late']);
  });

  test('passes the error of a task to its handler, and continues', async () => {
    const faults: unknown[] = [];
    const activity = new CountingActivity();
    const timer = new ManualClock(0);
    const clock = new VirtualClock({ startAt: T0, seed: 1, speed: 'max', timer, activity, onFault: (error) => faults.push(error) });
    let ran = false;
    clock.schedule(T0 + 1, () => {
      throw new Error('broken');
    });
    clock.schedule(T0 + 2, () => (ran = true));
    await clock.runFor(10);
    expect(faults).toEqual([new Error('broken')]);
    expect(ran).toBe(true);
  });

  test('returns whole milliseconds only, whatever fractions are scheduled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { maxLength: 20 }), async (delays) => {
        const { clock } = aClock();
        const seen: { readonly wanted: number; readonly at: number }[] = [];
        for (const delay of delays) clock.schedule(T0 + delay, () => seen.push({ wanted: T0 + delay, at: clock.now() }));
        await clock.runFor(1000.5);
        expect(seen).toHaveLength(delays.length);
        expect(seen.every(({ wanted, at }) => Number.isInteger(at) && at >= wanted && at < wanted + 1)).toBe(true);
        expect(clock.now()).toBe(T0 + 1001);
      }),
      { numRuns: 30 },
    );
  });

  test('starts again after an idle spell when something is scheduled', async () => {
    const { clock } = aClock();
    clock.start();
    await turns(4);
    let ran = false;
    clock.schedule(T0 + 1, () => (ran = true));
    await turns(4);
    expect(ran).toBe(true);
    clock.stop();
    clock.schedule(T0 + 2, () => (ran = false));
    await turns(4);
    expect(ran).toBe(true);
  });

  test('supports a hundred thousand timers', async () => {
    const { clock } = aClock();
    let count = 0;
    const again = (): void => {
      if (++count < 100_000) clock.schedule(clock.now() + 1000, again);
    };
    clock.schedule(T0, again);
    await clock.runFor(200_000_000);
    expect(count).toBe(100_000);
  });
});

describe('VirtualClock at a speed', () => {
  test('follows real time, scaled', () => {
    const { clock, timer } = aClock({ speed: 60 });
    const seen: number[] = [];
    clock.start();
    clock.schedule(T0 + 90_000, () => seen.push(clock.now() - T0));
    timer.advance(1000);
    expect(clock.now()).toBe(T0 + 60_000);
    expect(seen).toEqual([]);
    timer.advance(500);
    expect(seen).toEqual([90_000]);
    clock.stop();
    timer.advance(1000);
    expect(clock.now()).toBe(T0 + 90_000);
  });

  test('keeps its time when the speed changes', () => {
    const { clock, timer } = aClock({ speed: 10 });
    clock.start();
    timer.advance(1000);
    clock.setSpeed(100);
    timer.advance(1000);
    expect(clock.now()).toBe(T0 + 110_000);
    clock.stop();
  });

  test('never passes an event that has not run', () => {
    const { clock, timer } = aClock({ speed: 1 });
    clock.start();
    timer.advance(10);
    clock.schedule(T0 + 20, () => undefined);
    expect(clock.now()).toBeLessThanOrEqual(T0 + 20);
    clock.stop();
  });

  test('does not advance after the end of a run', async () => {
    const { clock, timer } = aClock({ speed: 1000 });
    const done = clock.runFor(5000);
    timer.advance(6);
    await done;
    expect(clock.now()).toBe(T0 + 5000);
    expect(clock.isRunning).toBe(false);
    expect(timer.pending).toBe(0);
  });

  test.each([0, 0.5, 1001, Number.NaN])('refuses speed %p', (speed) => {
    expect(() => aClock({ speed })).toThrow(/give a number from 1 to 1000, or max/);
  });
});

describe('ScaledClock', () => {
  test('runs on between readings and never goes back', () => {
    const timer = new ManualClock(0);
    const clock = new ScaledClock(timer, { now: T0, speed: 60 });
    const seen: number[] = [];
    clock.schedule(T0 + 120_000, () => seen.push(clock.now() - T0));
    timer.advance(1000);
    expect(clock.now()).toBe(T0 + 60_000);
    clock.follow({ now: T0 + 30_000, speed: 60 });
    expect(clock.now()).toBe(T0 + 60_000);
    timer.advance(1500);
    expect(clock.now()).toBe(T0 + 120_000);
    expect(seen).toEqual([120_000]);
    clock.stop();
  });

  test('does not advance while the other clock runs at max or is stopped, and catches up with the next reading', () => {
    const timer = new ManualClock(0);
    const clock = new ScaledClock(timer, { now: T0, speed: 'max' });
    let ran = false;
    clock.schedule(T0 + 1000, () => (ran = true));
    timer.advance(5000);
    expect(clock.now()).toBe(T0);
    clock.follow({ now: T0 + 2000, speed: 'max' });
    timer.advance(1);
    expect(ran).toBe(true);
  });
});
