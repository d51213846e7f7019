import { describe, expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { SystemClock } from './system-clock.ts';

const T = Date.UTC(2026, 0, 1);

/** A wall whose timers fire `earlyMs` before their time. */
function wallWith(earlyMs: number) {
  const delays: number[] = [];
  let now = T;
  let pending: (() => void) | null = null;
  const clock = new SystemClock({
    now: () => now,
    setTimeout: (task, afterMs) => {
      delays.push(afterMs);
      pending = () => {
        now += Math.max(afterMs === 0 ? 0 : 1, afterMs - earlyMs);
        task();
      };
      return undefined as unknown as NodeJS.Timeout;
    },
  });
  const run = (): void => {
    for (let turn = 0; turn < 10 && pending !== null; turn += 1) {
      const fire = pending;
      pending = null;
      fire();
    }
  };
  return { clock, delays, run, setBack: (ms: number) => (now -= ms) };
}

describe('SystemClock', () => {
  test('runs a task once, when the clock has reached its time, also where timers fire early', () => {
    const { clock, run } = wallWith(2);
    const ran: number[] = [];
    clock.schedule(T + MINUTE_MS, () => ran.push(clock.now() - T));
    run();
    expect(ran).toHaveLength(1);
    expect(ran[0]).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  test('runs it after the scheduled time where the clock was set back meanwhile', () => {
    const { clock, run, setBack } = wallWith(0);
    const ran: number[] = [];
    clock.schedule(T + MINUTE_MS, () => ran.push(clock.now() - T));
    setBack(HOUR_MS);
    run();
    expect(ran).toEqual([MINUTE_MS - HOUR_MS]);
  });

  test('waits longer than one timer can', () => {
    const { clock, delays, run } = wallWith(0);
    const ran: number[] = [];
    clock.schedule(T + 30 * DAY_MS, () => ran.push(clock.now() - T));
    run();
    expect(ran).toEqual([30 * DAY_MS]);
    expect(delays).toEqual([2 ** 31 - 1, 30 * DAY_MS - (2 ** 31 - 1)]);
  });
});
