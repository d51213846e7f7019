import { expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { SECOND_MS } from '#kube/units';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS } from '../../runtime/metrics.ts';
import { MAX_WAITING_EVENTS } from './access-events/event-outbox.ts';
import { SqlHistory } from './sql-history.ts';
import type { StoreEngine } from './store-engine.ts';
import { anAccessEvent } from '../../../test/builders/access-events.ts';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { ACCESS_EVENT_OPTIONS } from '../../../test/fakes/test-signer.ts';

const BOUNDS = { ...ACCESS_EVENT_OPTIONS, retentionMs: 1e9, maxBytes: 1e9, logger: SILENT_LOGGER, metrics: NO_METRICS };

/** An engine that rejects every write, as with a full disk, and asks for retries after 500 ms. */
class RefusingEngine implements StoreEngine {
  asked = 0;
  refuses = true;
  readonly nextChange = () => Promise.resolve(1);
  readonly usedBytes = () => Promise.resolve(0);
  readonly releaseSpace = () => Promise.resolve();
  readonly close = () => Promise.resolve();

  run<T>(attempt: string): Promise<T> {
    this.asked += 1;
    return this.refuses ? Promise.reject(new Error(`${attempt}: could not extend file`)) : Promise.resolve([] as T);
  }

  retryMs(): number {
    return 500;
  }
}

test('a store that keeps rejecting is retried with backoff, regardless of how much is appended', async () => {
  const clock = new FakeClock();
  const engine = new RefusingEngine();
  const history = new SqlHistory(engine, { ...BOUNDS, clock, machine: clock }, true);
  const append = async (): Promise<void> => {
    history.appendEntry({ id: 'one', at: clock.now(), namespace: 'shop', object: { kind: 'Deployment', name: 'web' } } as never);
    history.shared?.share({ topic: 'usage', key: 'n1', at: clock.now(), body: null });
    await clock.advance(SECOND_MS);
  };
  for (let second = 0; second < 60; second += 1) await append();
  const inTheFirstMinute = engine.asked;
  expect(inTheFirstMinute).toBeLessThanOrEqual(8);
  for (let second = 0; second < 600; second += 1) await append();
  // The backoff ends at 30 s; retries never stop.
  expect(engine.asked - inTheFirstMinute).toBeGreaterThanOrEqual(18);
  expect(engine.asked - inTheFirstMinute).toBeLessThanOrEqual(21);
  expect(clock.waiting).toBe(1);
});

test('a replica that only reads takes the status of the store from its reads', async () => {
  const clock = new FakeClock();
  const engine = new RefusingEngine();
  const history = new SqlHistory(engine, { ...BOUNDS, clock, machine: clock }, true);
  await expect(history.shared?.changes(0)).rejects.toThrow('could not extend file');
  expect(history.status()).toMatchObject({ ok: false, message: expect.stringContaining('not readable') as unknown });
  engine.refuses = false;
  await history.shared?.changes(0);
  expect(history.status()).toMatchObject({ ok: true });
});

test('access events that are lost while the store is unavailable are counted in status, metrics and the chain', async () => {
  const clock = new FakeClock();
  const engine = new RefusingEngine();
  const metrics = new CountingMetrics();
  const history = new SqlHistory(engine, { ...BOUNDS, metrics, clock, machine: clock }, true);
  for (let index = 1; index <= MAX_WAITING_EVENTS + 4; index += 1) {
    history.appendAccessEvent(anAccessEvent(index));
    // The first is part of the write that fails.
    if (index === 1) await history.flush();
  }
  expect(history.accessEventQueue()).toEqual({ waiting: MAX_WAITING_EVENTS + 1, dropped: 3 });
  engine.refuses = false;
  await history.flush();
  await history.flush();
  expect(history.accessEventQueue()).toEqual({ waiting: 0, dropped: 3 });
  // The event with the number of the lost ones is one more.
  expect(history.accessEventHead()).toMatchObject({ sequence: MAX_WAITING_EVENTS + 2 });
  expect(metrics.total('evenkeel_access_events_dropped_total')).toBe(3);
  expect(metrics.total('evenkeel_access_events_written_total')).toBe(MAX_WAITING_EVENTS + 2);
});
