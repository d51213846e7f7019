import { describe, expect, test } from '@jest/globals';
import { FakeActivity, FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { UnavailableError } from '../ports/unavailable-error.ts';
import { SILENT_LOGGER } from './logging.ts';
import { NO_METRICS } from './metrics.ts';
import { SeededRandom } from './random.ts';
import { ReconcilerHost } from './reconciler-host.ts';
import { type ReconcileResult, TerminalError } from './reconciler.ts';
import { WorkQueue } from './work-queue.ts';

function aHost(reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult>) {
  const clock = new FakeClock();
  const machine = new FakeClock();
  const activity = new FakeActivity();
  const queue = new WorkQueue({ clock, machine, activity, random: new SeededRandom(3) });
  const host = new ReconcilerHost({
    name: 'test',
    queue,
    reconciler: { reconcile },
    machine,
    logger: SILENT_LOGGER,
    metrics: NO_METRICS,
    workers: 2,
  });
  const stop = new AbortController();
  const ended = host.run(stop.signal);
  return { queue, clock, machine, activity, stop, ended };
}

describe('ReconcilerHost', () => {
  test('requeues after the reconciler’s delay, in domain time', async () => {
    const seen: string[] = [];
    const { queue, clock, stop, ended } = aHost(async (key) => {
      seen.push(key);
      return { requeueAfterMs: 60_000 };
    });
    queue.add('a');
    await settle();
    await clock.advance(180_000);
    expect(seen).toEqual(['a', 'a', 'a', 'a']);
    stop.abort();
    await ended;
  });

  test('a failing key is retried and delays no other', async () => {
    const seen: string[] = [];
    const { queue, machine, stop, ended } = aHost(async (key) => {
      seen.push(key);
      if (key === 'always-failing') throw new Error('always');
      return { done: true };
    });
    queue.add('always-failing');
    queue.add('fine');
    await machine.advance(100);
    expect(seen.filter((key) => key === 'always-failing').length).toBeGreaterThan(3);
    expect(seen.filter((key) => key === 'fine')).toHaveLength(1);
    stop.abort();
    await ended;
  });

  test('a key that failed in an outage is retried within 30 s of its end; a key that always fails is not', async () => {
    let outage = true;
    const seen: string[] = [];
    const { queue, machine, stop, ended } = aHost(async (key) => {
      seen.push(key);
      if (key === 'always-failing') throw new Error('always');
      if (outage) throw new Error('applying status of a/b', { cause: new UnavailableError('no answer') });
      return { done: true };
    });
    queue.add('fine');
    queue.add('always-failing');
    await machine.advance(3_600_000);
    outage = false;
    seen.length = 0;
    await machine.advance(30_000);
    expect(seen.filter((key) => key === 'fine')).toHaveLength(1);
    seen.length = 0;
    await machine.advance(3_600_000);
    expect(seen.filter((key) => key === 'always-failing').length).toBeLessThan(25);
    stop.abort();
    await ended;
  });

  test('a terminal error is not retried until the object changes', async () => {
    let tries = 0;
    const { queue, machine, activity, stop, ended } = aHost(async () => {
      tries += 1;
      throw new TerminalError('spec is wrong');
    });
    queue.add('a');
    await machine.advance(60_000);
    expect([tries, activity.count]).toEqual([1, 0]);
    queue.add('a');
    await settle();
    expect(tries).toBe(2);
    stop.abort();
    await ended;
  });

  test('a reconcile that hangs is aborted after a minute', async () => {
    let aborted = false;
    const { queue, machine, stop, ended } = aHost(async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted = true;
      return { done: true };
    });
    queue.add('a');
    await settle();
    await machine.advance(60_000);
    expect(aborted).toBe(true);
    stop.abort();
    await ended;
  });

  test('a stop waits for the running reconciles', async () => {
    let finish: () => void = () => undefined;
    const { queue, stop, ended } = aHost(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return { done: true };
    });
    queue.add('a');
    await settle();
    stop.abort();
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    await settle();
    expect(hasEnded).toBe(false);
    finish();
    await ended;
  });
});
