import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DAY_MS, type DurationMs, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { MachineTimer } from '../../src/ports/clock.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { runFortnight } from '../bench/fortnight/run-fortnight.ts';
import { demoToItsEnd, type DemoSummary } from './demo-process.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

describe('evenkeel demo --speed max', () => {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  test(
    'the same seed ends the same',
    async () => {
      const run = async (): Promise<Omit<DemoSummary, 'wallSeconds'>> => {
        const summary = await demoToItsEnd(fixture, ['--speed', 'max', '--for', '6h', '--seed', '7']);
        const { wallSeconds, ...same } = summary as DemoSummary;
        expect(wallSeconds).toBeGreaterThan(0);
        return same;
      };
      // Run concurrently, so that machine load affects the two differently.
      const [first, second] = await Promise.all([run(), run()]);
      expect(second).toEqual(first);
      expect(first.resizes).toBeGreaterThan(0);
    },
    HANG_TEST_MS,
  );
});

describe('the embedded cluster at full speed', () => {
  test(
    'ends the same on a machine that is suspended for minutes at a time',
    async () => {
      const run = (timer: MachineTimer) => runFortnight('evenkeel', { seed: 1, workloads: 12, days: 0.5, pastDays: 0, timer });
      const suspending = new SuspendingMachine();
      const usual = await run(new SystemTimer());
      expect(await run(suspending)).toEqual(usual);
      expect(suspending.suspendedMs).toBeGreaterThan(24 * HOUR_MS);
    },
    HANG_TEST_MS,
  );
});

/** A machine timer whose clock jumps by a minute whenever a timer is set, and by the whole delay for timers of up to a day. */
class SuspendingMachine implements MachineTimer {
  suspendedMs = 0;
  readonly #system = new SystemTimer();

  nowMs(): number {
    return this.#system.nowMs() + this.suspendedMs;
  }

  setTimer(afterMs: DurationMs, task: () => void): () => void {
    this.suspendedMs += MINUTE_MS;
    if (afterMs <= MINUTE_MS || afterMs > DAY_MS) return this.#system.setTimer(afterMs, task);
    return this.#system.setTimer(1, () => {
      this.suspendedMs += afterMs;
      task();
    });
  }
}
