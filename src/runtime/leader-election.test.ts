import { describe, expect, test } from '@jest/globals';
import { MemoryLease } from '../../test/fakes/memory-lease.ts';
import type { LeaseStore } from '../ports/cluster/lease-store.ts';
import { FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { LEASE_TIMES, LeaderElection } from './leader-election.ts';
import type { Logger } from '../ports/logger.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { SILENT_LOGGER } from './logging.ts';
import { NO_METRICS } from './metrics.ts';
import { SeededRandom } from './random.ts';

function anElection(identity: string, store: LeaseStore, machine: FakeClock, logger: Logger = SILENT_LOGGER, skewMs = 0): LeaderElection {
  return new LeaderElection({
    store,
    identity,
    machine,
    random: new SeededRandom(7),
    logger,
    metrics: NO_METRICS,
    timestamp: () => new Date(machine.nowMs() + skewMs).toISOString(),
  });
}

function aCandidate(identity: string, store: LeaseStore, machine: FakeClock, logger: Logger = SILENT_LOGGER, skewMs = 0) {
  const election = anElection(identity, store, machine, logger, skewMs);
  const stop = new AbortController();
  const terms: string[] = [];
  const ended = election.run(async (term) => {
    terms.push('began');
    await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }));
    terms.push('ended');
  }, stop.signal);
  return { election, stop, terms, ended };
}

describe('LeaderElection', () => {
  test('of two candidates one leads', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await settle();
    const b = aCandidate('b', store, machine);
    await machine.advance(60_000);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([true, false]);
    expect(b.election.holder()).toBe('a');
    a.stop.abort();
    b.stop.abort();
    await Promise.all([a.ended, b.ended]);
  });

  test.each([5_000, 5_700, 6_400, 7_100])(
    'a clean stop (after %i ms) hands over within one poll, and only after the work has ended',
    async (afterMs) => {
      const machine = new FakeClock();
      const store = new MemoryLease();
      const a = aCandidate('a', store, machine);
      await settle();
      const b = aCandidate('b', store, machine);
      await machine.advance(afterMs);
      a.stop.abort();
      await a.ended;
      expect(a.terms).toEqual(['began', 'ended']);
      expect(store.record?.holder).toBe('');
      await machine.advance(LEASE_TIMES.pollMs);
      expect(b.election.isLeader()).toBe(true);
      b.stop.abort();
      await b.ended;
    },
  );

  test('a stop during a renewal releases the lease', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await machine.advance(LEASE_TIMES.retryMs - 1);
    // The server stores this renewal; the stop aborts its response.
    store.slow = () =>
      new Promise((_resolve, reject) => a.stop.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }));
    const before = store.record?.resourceVersion;
    await machine.advance(2);
    expect(store.record?.resourceVersion).not.toBe(before);
    a.stop.abort();
    store.slow = () => Promise.resolve();
    await a.ended;
    expect(store.record).toMatchObject({ holder: '', leaseDurationSeconds: 1 });
  });

  test('a lease that another replica has taken is not released', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await machine.advance(LEASE_TIMES.retryMs - 1);
    store.edit({ holder: 'b' });
    a.stop.abort();
    await a.ended;
    expect(store.record?.holder).toBe('b');
  });

  test('after a crash another replica leads within 13 s, whatever time the crashed one wrote', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    store.record = {
      resourceVersion: '9',
      holder: 'dead',
      leaseDurationSeconds: 10,
      acquireTime: '2099-01-01T00:00:00Z',
      renewTime: '2099-01-01T00:00:00Z',
      transitions: 3,
    };
    const b = aCandidate('b', store, machine);
    await machine.advance(9_900);
    expect(b.election.isLeader()).toBe(false);
    await machine.advance(3_100);
    expect(b.election.isLeader()).toBe(true);
    expect(store.record.transitions).toBe(4);
    expect(b.election.transitions()).toBe(4);
    b.stop.abort();
    await b.ended;
  });

  test('a leader that cannot renew ends its term before the lease expires', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await machine.advance(3_000);
    store.away = true;
    await machine.advance(9_000);
    expect(a.terms).toEqual(['began', 'ended']);
    expect(a.election.isLeader()).toBe(false);
    store.away = false;
    await machine.advance(15_000);
    expect(a.terms).toEqual(['began', 'ended', 'began']);
    a.stop.abort();
    await a.ended;
  });

  test('the lease counts from its request: a late response does not extend it', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await machine.advance(1_000);
    // This renewal is stored at once and answered six seconds later; afterwards the API server cannot be reached.
    store.slow = () => {
      store.away = true;
      return new Promise((resolve) => machine.setTimer(6_000, resolve));
    };
    await machine.advance(10_500);
    expect(a.terms).toEqual(['began', 'ended']);
    a.stop.abort();
    await a.ended;
  });

  test('a process that was suspended is not leader when it resumes', async () => {
    const machine = new FakeClock();
    const a = aCandidate('a', new MemoryLease(), machine);
    await machine.advance(3_000);
    const nowMs = machine.nowMs.bind(machine);
    machine.nowMs = () => nowMs() + 20_000; // no timer has fired yet
    expect(a.election.isLeader()).toBe(false);
    machine.nowMs = nowMs;
    a.stop.abort();
    await a.ended;
  });

  test('one dead connection does not lose the lease: the renewal is retried on another in time', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await machine.advance(10_000);
    store.deadConnections = 1;
    await machine.advance(30_000);
    expect([a.terms, a.election.isLeader()]).toEqual([['began'], true]);
    a.stop.abort();
    await a.ended;
  });

  const HOUR_MS = 3_600_000;
  test.each([
    ['an hour behind', -HOUR_MS],
    ['an hour ahead', HOUR_MS],
    ['ten years ahead', 10 * 365 * 24 * HOUR_MS],
  ])('a holder whose clock is %s keeps its lease while it renews, and loses it in time after it stops', async (_, skewMs) => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine, SILENT_LOGGER, skewMs);
    await settle();
    const b = aCandidate('b', store, machine);
    await machine.advance(60_000);
    expect([a.election.isLeader(), b.election.isLeader(), b.terms]).toEqual([true, false, []]);
    // Its renewals no longer reach the server.
    const { record } = store;
    const update = store.update.bind(store);
    store.update = (version, lease, signal) =>
      lease.holder === 'a' ? Promise.reject(new Error('no route to host')) : update(version, lease, signal);
    const diedAt = machine.nowMs();
    for (let second = 0; second < 13 && !b.election.isLeader(); second += 1) {
      await machine.advance(1_000);
      expect([a.election.isLeader(), b.election.isLeader()]).not.toEqual([true, true]);
    }
    expect([store.record?.holder, machine.nowMs() - diedAt <= 13_000, record?.holder]).toEqual(['b', true, 'a']);
    for (const { stop } of [a, b]) stop.abort();
    await Promise.all([a.ended, b.ended]);
  });

  test('a candidate with a wrong clock takes no held lease', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await settle();
    const b = aCandidate('b', store, machine, SILENT_LOGGER, HOUR_MS);
    const c = aCandidate('c', store, machine, SILENT_LOGGER, -HOUR_MS);
    await machine.advance(120_000);
    expect([a.terms, b.terms, c.terms]).toEqual([['began'], [], []]);
    for (const { stop } of [a, b, c]) stop.abort();
    await Promise.all([a.ended, b.ended, c.ended]);
  });

  test('a refused lease is logged once and reported until it is acquired', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const logger = new RecordingLogger();
    store.refusal = 'leases.coordination.k8s.io is forbidden: cannot get resource "leases"';
    const a = aCandidate('a', store, machine, logger);
    await machine.advance(60_000);
    expect(a.election.problem()).toContain('cannot get resource "leases"');
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    store.refusal = null;
    await machine.advance(2_000);
    expect([a.election.isLeader(), a.election.problem()]).toEqual([true, null]);
    a.stop.abort();
    await a.ended;
  });

  test.each<[string, (store: MemoryLease) => void]>([
    ['emptied by hand', (store) => store.edit({ holder: '' })],
    ['deleted', (store) => (store.record = undefined)],
    ['given to the other replica by hand', (store) => store.edit({ holder: 'b' })],
    ['given to an identity that does not exist', (store) => store.edit({ holder: 'no-such-replica' })],
  ])('a lease that is %s never makes two leaders', async (_, edit) => {
    for (let afterMs = 3_000; afterMs < 5_000; afterMs += 200) {
      const machine = new FakeClock();
      const store = new MemoryLease();
      const a = aCandidate('a', store, machine);
      await settle();
      const b = aCandidate('b', store, machine);
      await machine.advance(afterMs);
      edit(store);
      for (let ms = 0; ms < 15_000; ms += 50) {
        await machine.advance(50);
        expect([a.election.isLeader(), b.election.isLeader()]).not.toEqual([true, true]);
      }
      expect(a.terms.slice(0, 2)).toEqual(['began', 'ended']);
      expect([a.election.isLeader(), b.election.isLeader()].filter(Boolean)).toHaveLength(1);
      for (const { stop } of [a, b]) stop.abort();
      await Promise.all([a.ended, b.ended]);
    }
  });

  test('a lease whose acquisition was stored but not answered is held after the next poll', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    store.record = { resourceVersion: '1', holder: '', leaseDurationSeconds: 1, acquireTime: '', renewTime: '', transitions: 0 };
    store.slow = () => Promise.reject(new Error('connection reset'));
    const b = aCandidate('b', store, machine);
    await machine.advance(100);
    expect([store.record.holder, b.election.isLeader()]).toEqual(['b', false]);
    store.slow = () => Promise.resolve();
    await machine.advance(LEASE_TIMES.pollMs);
    expect(b.election.isLeader()).toBe(true);
    b.stop.abort();
    await b.ended;
  });

  test('work that ends with an error starts again after a delay', async () => {
    const machine = new FakeClock();
    let terms = 0;
    const stop = new AbortController();
    const election = anElection('a', new MemoryLease(), machine);
    const ended = election.run(async () => {
      terms += 1;
      throw new Error('broken');
    }, stop.signal);
    await machine.advance(6_000);
    expect(terms).toBeGreaterThan(1);
    expect(terms).toBeLessThan(6);
    stop.abort();
    await ended;
  });

  test('a leader whose lease was taken ends its term', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aCandidate('a', store, machine);
    await machine.advance(3_000);
    store.record = { ...store.record!, holder: 'other', resourceVersion: 'taken' };
    await machine.advance(2_000);
    expect(a.terms).toEqual(['began', 'ended']);
    expect(store.record.holder).toBe('other');
    a.stop.abort();
    await a.ended;
  });
});
