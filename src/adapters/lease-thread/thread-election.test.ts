import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, describe, expect, test } from '@jest/globals';
import { MemoryLease } from '../../../test/fakes/memory-lease.ts';
import { seededRandom } from '../../../test/fakes/seeded-random.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { serveHttps } from '#embedded-cluster/api/http/http-server';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import type { MachineTimer } from '../../ports/clock.ts';
import type { LeaseStore } from '../../ports/cluster/lease-store.ts';
import { LEASE_TIMES, LeaderElection } from '../../runtime/leader-election.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS, PrometheusMetrics } from '../../runtime/metrics.ts';
import { SystemTimer } from '../../runtime/system-clock.ts';
import type { Thread } from '../workers/restarting-thread.ts';
import { ElectionService } from './election-service.ts';
import type { ElectionReply, ElectionRequest, ElectionThreadData } from './messages.ts';
import { SharedDeadline } from './shared-deadline.ts';
import { ThreadElection } from './thread-election.ts';

/** Longer than the watch of the main thread, the renew deadline and the lease together. */
const LOST_MS = 40_000;

/** The event loop of the main thread, which a test blocks: timers that are due and messages wait. */
class MainLoop implements MachineTimer {
  readonly #machine: FakeClock;
  readonly #timers: (() => void)[] = [];
  readonly #messages: (() => void)[] = [];
  #isBlocked = false;

  constructor(machine: FakeClock) {
    this.#machine = machine;
  }

  nowMs(): number {
    return this.#machine.nowMs();
  }

  setTimer(afterMs: number, task: () => void): () => void {
    return this.#machine.setTimer(afterMs, () => this.#run(task, this.#timers));
  }

  process(message: () => void): void {
    this.#run(message, this.#messages);
  }

  block(): void {
    this.#isBlocked = true;
  }

  /** Node.js runs the timers first. */
  unblock(): void {
    this.#isBlocked = false;
    for (const task of [...this.#timers.splice(0), ...this.#messages.splice(0)]) task();
  }

  #run(task: () => void, queue: (() => void)[]): void {
    if (this.#isBlocked) queue.push(task);
    else task();
  }
}

/** A thread in this one, whose messages pass through a MessageChannel. */
class ChannelThread extends EventEmitter implements Thread<ElectionRequest, ElectionReply> {
  readonly printed: string[] = [];
  readonly data: ElectionThreadData;
  isDead = false;
  readonly #main: MessagePort;

  constructor(data: ElectionThreadData, store: LeaseStore, machine: FakeClock, loop: MainLoop) {
    super();
    this.data = data;
    const { port1, port2 } = new MessageChannel();
    this.#main = port1;
    port1.on('message', (reply: ElectionReply) => loop.process(() => this.emit('message', reply)));
    const service = new ElectionService({
      post: (reply) => port2.postMessage(reply),
      store: this.#untilDead(store),
      identity: data.identity,
      machine,
      random: seededRandom(1),
      deadline: new SharedDeadline(data.deadline),
      timestamp: () => new Date(machine.nowMs()).toISOString(),
      print: (message) => this.printed.push(message),
    });
    port2.on('message', (request: ElectionRequest) => service.handle(request));
    void service.run();
  }

  postMessage(request: ElectionRequest): void {
    this.#main.postMessage(request);
  }

  /** Ends the thread as an uncaught exception does. */
  crash(): void {
    this.#kill();
    this.emit('error', new Error('out of memory'));
    this.emit('exit', 1);
  }

  /** Posts nothing more, and renews no lease. */
  hang(): void {
    this.#kill();
  }

  async terminate(): Promise<void> {
    this.#kill();
  }

  #kill(): void {
    this.isDead = true;
    this.#main.close();
  }

  #untilDead(store: LeaseStore): LeaseStore {
    const whileAlive = <T>(send: () => Promise<T>): Promise<T> => (this.isDead ? new Promise(() => undefined) : send());
    return {
      read: (signal) => whileAlive(() => store.read(signal)),
      create: (lease, signal) => whileAlive(() => store.create(lease, signal)),
      update: (resourceVersion, lease, signal) => whileAlive(() => store.update(resourceVersion, lease, signal)),
    };
  }
}

/** Advances the clock in small steps, and delivers the messages after each. */
async function advance(machine: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await machine.advance(100);
    await deliver();
  }
}

/** A message arrives at the next turn of the event loop; an answer to it at the one after. */
async function deliver(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A replica whose election runs in a thread. */
function aReplica(identity: string, store: LeaseStore, machine: FakeClock) {
  const threads: ChannelThread[] = [];
  const loop = new MainLoop(machine);
  const logger = new RecordingLogger();
  const metrics = new PrometheusMetrics();
  const election = new ThreadElection({
    connection: { server: '', tls: { verify: true }, credentials: { type: 'fixed', headers: {} } },
    userAgent: '',
    namespace: '',
    lease: '',
    identity,
    timer: loop,
    random: seededRandom(1),
    logger,
    metrics,
    onResponse: () => undefined,
    start: (data) => {
      const thread = new ChannelThread(data, store, machine, loop);
      threads.push(thread);
      return thread;
    },
  });
  const stop = new AbortController();
  const terms: string[] = [];
  /** The work of a term ends with it, or later where a test sets `drained`. */
  const work = { drained: (): Promise<unknown> => Promise.resolve(), fails: false };
  const ended = election.run(async (term) => {
    terms.push('began');
    if (work.fails) throw new Error('broken');
    if (!term.aborted) await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }));
    terms.push('ending');
    await work.drained();
    terms.push('ended');
  }, stop.signal);
  cleanups.push(async () => {
    stop.abort();
    await ended;
  });
  const thread = (): ChannelThread => threads.at(-1)!;
  const messages = (): readonly string[] => logger.lines.map(({ message }) => message);
  return { election, loop, threads, thread, stop, ended, terms, work, messages, logger, metrics };
}

/** A replica whose election runs in the main thread, on the same state machine. */
function anotherReplica(identity: string, store: LeaseStore, machine: FakeClock) {
  const timestamp = (): string => new Date(machine.nowMs()).toISOString();
  const dependencies = { machine, random: seededRandom(2), logger: SILENT_LOGGER, metrics: NO_METRICS, timestamp };
  const election = new LeaderElection({ store, identity, ...dependencies });
  const stop = new AbortController();
  const ended = election.run((term) => new Promise((resolve) => term.addEventListener('abort', () => resolve())), stop.signal);
  cleanups.push(async () => {
    stop.abort();
    await ended;
  });
  return { election, stop, ended };
}

describe('An election in a thread', () => {
  test('the main thread learns at once that it leads, with the number of the term, and that it no longer leads', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aReplica('a', store, machine);
    await deliver();
    expect([a.terms, a.election.isLeader(), a.election.holder(), a.election.transitions()]).toEqual([['began'], true, 'a', 0]);
    expect(await a.metrics.expose()).toContain('evenkeel_leader 1');
    store.edit({ holder: 'b' });
    await advance(machine, LEASE_TIMES.retryMs);
    expect([a.terms, a.election.isLeader()]).toEqual([['began', 'ending', 'ended'], false]);
    await advance(machine, LEASE_TIMES.retryMs + 1_000);
    expect(a.election.holder()).toBe('b');
    expect(await a.metrics.expose()).toContain('evenkeel_leader 0');
    expect(a.messages()).toEqual(['Became leader', 'Lease was taken by another replica', 'No longer leader']);
  });

  test.each([6_000, 14_000])('a main thread that is blocked for %i ms stays leader', async (blockedMs) => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aReplica('a', store, machine);
    await deliver();
    const b = anotherReplica('b', store, machine);
    await advance(machine, 1_000);
    const version = Number(store.record?.resourceVersion);
    a.loop.block();
    await advance(machine, blockedMs);
    expect(Number(store.record?.resourceVersion) - version).toBeGreaterThanOrEqual(Math.floor(blockedMs / LEASE_TIMES.retryMs) - 1);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([true, false]);
    a.loop.unblock();
    await advance(machine, 30_000);
    expect([a.terms, a.election.isLeader(), b.election.isLeader()]).toEqual([['began'], true, false]);
    expect(a.thread().printed).toEqual([]);
  });

  test('a main thread that is blocked for longer loses the lease, and is no leader before it processes any message', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aReplica('a', store, machine);
    await deliver();
    const b = anotherReplica('b', store, machine);
    await advance(machine, 1_000);
    a.loop.block();
    const holders = new Set<string | undefined>();
    for (let ms = 0; ms < LOST_MS; ms += 100) {
      await advance(machine, 100);
      expect([a.election.isLeader(), b.election.isLeader()]).not.toEqual([true, true]);
      holders.add(store.record?.holder);
    }
    expect([a.election.isLeader(), b.election.isLeader(), a.terms]).toEqual([false, true, ['began']]);
    // It expired: a release would let the other replica write before the blocked one has stopped.
    expect([...holders]).toEqual(['a', 'b']);
    expect(a.thread().printed).toEqual(['Main thread has not answered for 15 s; the lease is not renewed until it answers']);
    a.loop.unblock();
    await deliver();
    expect([a.terms, a.election.isLeader()]).toEqual([['began', 'ending', 'ended'], false]);
    expect(a.messages()).toEqual([
      'Became leader',
      'Renewing lease failed; retrying',
      'Lease was not renewed within the renew deadline; ending the term',
      'Main thread answers again',
      'No longer leader',
    ]);
    b.stop.abort();
    await b.ended;
    await advance(machine, 3_000);
    expect([a.terms.at(-1), a.election.isLeader()]).toEqual(['began', true]);
  });

  test('a free lease is not acquired while the main thread does not answer', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const b = anotherReplica('b', store, machine);
    await deliver();
    const a = aReplica('a', store, machine);
    await advance(machine, 2_000);
    a.loop.block();
    await advance(machine, 16_000);
    b.stop.abort();
    await b.ended;
    await advance(machine, 60_000);
    expect([store.record?.holder, a.election.isLeader()]).toEqual(['', false]);
    a.loop.unblock();
    await advance(machine, 2_000);
    expect([store.record?.holder, a.election.isLeader(), a.terms]).toEqual(['a', true, ['began']]);
  });

  test('after a lost lease, a replica takes part again only once its work has ended', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aReplica('a', store, machine);
    let drain: () => void = () => undefined;
    a.work.drained = () => new Promise<void>((resolve) => (drain = resolve));
    await deliver();
    store.away = true;
    await advance(machine, 20_000);
    store.away = false;
    await advance(machine, 60_000);
    expect([a.terms, a.election.isLeader()]).toEqual([['began', 'ending'], false]);
    a.work.drained = () => Promise.resolve();
    drain();
    await advance(machine, 15_000);
    expect([a.terms, a.election.isLeader()]).toEqual([['began', 'ending', 'ended', 'began'], true]);
  });

  test('a stop releases the lease only after the work has ended', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aReplica('a', store, machine);
    let drain: () => void = () => undefined;
    a.work.drained = () => new Promise<void>((resolve) => (drain = resolve));
    await deliver();
    a.stop.abort();
    await deliver();
    expect([a.terms, store.record?.holder, a.election.isLeader()]).toEqual([['began', 'ending'], 'a', true]);
    drain();
    await a.ended;
    expect([a.terms.at(-1), store.record, a.election.isLeader()]).toMatchObject(['ended', { holder: '', leaseDurationSeconds: 1 }, false]);
    expect([a.thread().isDead, a.messages().at(-1)]).toEqual([true, 'No longer leader']);
  });

  test('a stop of a follower ends its thread', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const b = anotherReplica('b', store, machine);
    await deliver();
    const a = aReplica('a', store, machine);
    await advance(machine, 2_000);
    a.stop.abort();
    await a.ended;
    expect([a.terms, a.thread().isDead, b.election.isLeader()]).toEqual([[], true, true]);
  });

  test('work that fails is logged, and starts again after a delay', async () => {
    const machine = new FakeClock();
    const a = aReplica('a', new MemoryLease(), machine);
    a.work.fails = true;
    await advance(machine, 6_000);
    expect(a.terms.length).toBeGreaterThan(1);
    expect(a.terms.length).toBeLessThan(6);
    expect(a.logger.lines.find(({ level }) => level === 'error')).toMatchObject({
      message: 'Leader term failed',
      fields: { err: { message: expect.stringContaining('broken') } },
    });
  });

  test('a thread that dies ends the term at once; the next one leads after the work has ended and the lease has expired', async () => {
    const machine = new FakeClock();
    const store = new MemoryLease();
    const a = aReplica('a', store, machine);
    let drain: () => void = () => undefined;
    a.work.drained = () => new Promise<void>((resolve) => (drain = resolve));
    await deliver();
    const former = new SharedDeadline(a.thread().data.deadline);
    a.thread().crash();
    expect([a.election.isLeader(), a.election.holder(), a.election.problem()]).toEqual([
      false,
      null,
      'the leader election thread is restarting: out of memory',
    ]);
    await deliver();
    expect(a.terms).toEqual(['began', 'ending']);
    expect(await a.metrics.expose()).toContain('evenkeel_leader 0');
    // The memory of the former thread no longer counts.
    former.set(Number.MAX_SAFE_INTEGER / 1_000);
    expect(a.election.isLeader()).toBe(false);
    await advance(machine, 5_000);
    expect(a.threads).toHaveLength(1);
    a.work.drained = () => Promise.resolve();
    drain();
    await advance(machine, 2_000);
    expect([a.threads.length, a.election.isLeader()]).toEqual([2, false]);
    await advance(machine, 12_000);
    expect([a.terms, a.election.isLeader(), a.election.problem()]).toEqual([['began', 'ending', 'ended', 'began'], true, null]);
    expect(a.logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'The leader election thread exited or timed out; starting a new one', fields: { err: { message: 'out of memory' } } },
    ]);
  });

  test('a term that a lost thread had announced does not begin', async () => {
    const machine = new FakeClock();
    const a = aReplica('a', new MemoryLease(), machine);
    a.thread().crash();
    a.thread().emit('message', { type: 'term-began', status: { holder: 'a', transitions: 0, problem: null } } satisfies ElectionReply);
    await deliver();
    expect([a.terms, a.election.isLeader()]).toEqual([[], false]);
    await advance(machine, 15_000);
    expect([a.terms, a.election.isLeader()]).toEqual([['began'], true]);
  });

  test('a thread that hangs is replaced; one that the main thread was too busy to hear is not', async () => {
    const machine = new FakeClock();
    const a = aReplica('a', new MemoryLease(), machine);
    await deliver();
    a.loop.block();
    await advance(machine, 100_000);
    a.loop.unblock();
    await advance(machine, 100_000);
    expect(a.threads).toHaveLength(1);
    a.thread().hang();
    await advance(machine, 50_000);
    expect(a.threads).toHaveLength(2);
    expect(a.logger.lines.filter(({ level }) => level === 'error').at(-1)?.fields).toMatchObject({
      err: { message: 'no message for 30 s' },
    });
  });

  test('a thread that dies repeatedly is restarted with back-off', async () => {
    const machine = new FakeClock();
    const a = aReplica('a', new MemoryLease(), machine);
    for (let second = 0; second < 300; second += 1) {
      if (!a.thread().isDead) a.thread().crash();
      await machine.advance(1_000);
      await deliver();
    }
    expect(a.threads.length).toBeGreaterThan(4);
    expect(a.threads.length).toBeLessThanOrEqual(14);
  });
});

describe('A real thread', () => {
  test('acquires and renews the lease with its own connection, and releases it at the stop', async () => {
    const timer = new SystemTimer();
    const cluster = new EmbeddedCluster({
      startAt: Date.UTC(2026, 0, 1),
      seed: 1,
      random: seededRandom,
      speed: 1,
      nodes: { count: 1, machineTypes: ['e2-standard-4'] },
      timer,
      logger: SILENT_LOGGER,
    });
    const api = await serveHttps(cluster.server, { port: 0 });
    const metrics = new PrometheusMetrics();
    const logger = new RecordingLogger();
    const responses = Promise.withResolvers<null>();
    const election = new ThreadElection({
      connection: {
        server: api.url,
        tls: { ca: api.caCertificate, verify: true },
        credentials: { type: 'fixed', headers: { authorization: `Bearer ${cluster.server.authenticator.adminToken}` } },
      },
      userAgent: 'test',
      namespace: 'default',
      lease: 'test',
      identity: 'a',
      timer,
      random: seededRandom(1),
      logger,
      metrics,
      // The first renewal, after a read and the creation.
      onResponse: ({ method }) => {
        if (method === 'PUT') responses.resolve(null);
      },
    });
    const stop = new AbortController();
    const leading = Promise.withResolvers<boolean>();
    const ended = election.run(async (term) => {
      leading.resolve(election.isLeader());
      await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }));
    }, stop.signal);
    try {
      expect(await leading.promise).toBe(true);
      await responses.promise;
      stop.abort();
      await ended;
      const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/test';
      expect((await cluster.transport('test').request({ method: 'GET', path })).body).toMatchObject({
        spec: { holderIdentity: '', leaseTransitions: 0 },
      });
      expect(await metrics.expose()).toMatch(
        /evenkeel_api_requests_total\{verb="create",resource="leases.coordination.k8s.io",code="201"\} 1/,
      );
      expect(logger.lines.map(({ message }) => message)).toEqual(['Became leader', 'No longer leader']);
      expect(election.isLeader()).toBe(false);
    } finally {
      stop.abort();
      await ended;
      await api.close();
      cluster.close();
    }
  });
});
