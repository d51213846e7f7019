import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { DEFAULT_RECOMMENDER_RULES } from '../../core/recommender/advice.ts';
import { RecommenderService } from '../../core/recommender/recommender-service.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS } from '../../runtime/metrics.ts';
import { SystemTimer } from '../../runtime/system-clock.ts';
import { openRecommender } from './open-recommender.ts';
import { handleRecommenderRequest, type RecommenderRequest } from './recommender-messages.ts';
import { ThreadWorker } from './thread-worker.ts';

const T0 = Date.UTC(2026, 10, 2);
const HOUR_MS = 3_600_000;
const RULES = new Map([['main', DEFAULT_RECOMMENDER_RULES]]);

/** An in-process fake thread: replies at the next turn, unless it hangs. */
class FakeThread extends EventEmitter {
  readonly service: RecommenderService;
  readonly batches: number[] = [];
  hangs = false;
  terminated = false;

  constructor(sequence: number) {
    super();
    this.service = new RecommenderService(sequence);
  }

  postMessage(request: RecommenderRequest): void {
    if (this.hangs) return;
    if (request.type === 'samples') this.batches.push(request.samples.pods.length);
    const reply = handleRecommenderRequest(this.service, structuredClone(request));
    setImmediate(() => this.emit('message', structuredClone(reply)));
  }

  async terminate(): Promise<void> {
    this.terminated = true;
  }
}

function aWorker(restoreLost: () => Promise<void> = async () => undefined) {
  const timer = new FakeClock();
  const threads: FakeThread[] = [];
  const metrics = new CountingMetrics();
  const start = (sequence: number): FakeThread => {
    const thread = new FakeThread(sequence);
    threads.push(thread);
    return thread;
  };
  const worker = new ThreadWorker({ index: 0, timer, logger: SILENT_LOGGER, metrics, restoreLost, start });
  const notify = (count: number): void => {
    for (let each = 0; each < count; each += 1) {
      const sample = { at: T0 + each * 60_000, cpuMillicores: 100, memoryBytes: 2 ** 28 };
      worker.notify({ kind: 'sample', workload: 'shop/Deployment/web', container: 'main', pod: 'web-1', sample });
    }
  };
  return { worker, timer, threads, notify, metrics };
}

describe('a recommender in a thread', () => {
  test('receives updates in batches, and all of them before a question', async () => {
    const { worker, threads, notify, timer } = aWorker();
    notify(1_100);
    expect(threads[0]?.batches).toEqual([500, 500]);
    await worker.ask('workloads', null);
    expect(threads[0]?.batches).toEqual([500, 500, 100]);
    notify(3);
    await timer.advance(100);
    expect(threads[0]?.batches).toEqual([500, 500, 100, 3]);
  });

  test('a dead thread is replaced, gets no question until the lost state is restored, and continues its sequence', async () => {
    let restored: () => void = () => undefined;
    const { worker, threads, notify, timer } = aWorker(() => new Promise((resolve) => (restored = resolve)));
    notify(10);
    const before = await worker.ask('changedSince', { since: 0 });
    threads[0]?.emit('error', new Error('out of memory'));
    await timer.advance(1_000);
    expect(threads).toHaveLength(2);
    let answered = false;
    const asked = worker.ask('changedSince', { since: before.sequence }).then((answer) => {
      answered = true;
      return answer;
    });
    await settle();
    expect(answered).toBe(false);
    notify(5);
    await worker.ask('restore', { checkpoints: [] });
    restored();
    expect((await asked).keys).toEqual(['shop/Deployment/web/main']);
  });

  test('a question outstanding when the thread dies is rejected', async () => {
    const { worker, threads } = aWorker();
    threads[0]!.hangs = true;
    const asked = worker.ask('workloads', null);
    await settle();
    threads[0]?.emit('exit', 1);
    await expect(asked).rejects.toThrow('retry shortly');
  });

  test('a hanging thread is replaced at the deadline', async () => {
    const { worker, threads, timer, metrics } = aWorker();
    threads[0]!.hangs = true;
    const asked = worker.ask('workloads', null);
    const refused = expect(asked).rejects.toThrow('exited or timed out');
    await timer.advance(121_000);
    await refused;
    expect(threads[0]?.terminated).toBe(true);
    expect(await worker.ask('workloads', null)).toEqual([]);
    expect(metrics.total('evenkeel_recommender_thread_restarts_total')).toBe(1);
  });

  test('a thread that dies repeatedly on restored state is restarted with backoff, which resets once it replies', async () => {
    const { timer, threads, worker } = aWorker();
    for (let second = 0; second < 300; second += 1) {
      threads.at(-1)?.emit('error', new Error('out of memory'));
      await timer.advance(1_000);
    }
    expect(threads.length).toBeLessThanOrEqual(12);
    await timer.advance(60_000);
    const started = threads.length;
    expect(await worker.ask('workloads', null)).toEqual([]);
    threads.at(-1)?.emit('error', new Error('once'));
    await timer.advance(1_000);
    expect(threads).toHaveLength(started + 1);
  });

  test('updates above the bound are dropped and counted', () => {
    const { threads, notify, metrics } = aWorker();
    threads[0]!.hangs = true;
    notify(100_010);
    expect(metrics.total('evenkeel_recommender_samples_dropped_total', { reason: 'behind' })).toBe(10);
  });
});

describe('real threads', () => {
  let stop: () => Promise<void> = async () => undefined;
  afterEach(() => stop());

  test('answer like the main thread, each workload by its own thread', async () => {
    const parts = { timer: new SystemTimer(), logger: SILENT_LOGGER, metrics: NO_METRICS, restoreLost: async () => undefined };
    const [threads, inline] = [openRecommender(2, parts), openRecommender(0, parts)];
    stop = () => threads.stop();
    const names = Array.from({ length: 12 }, (_, index) => `shop/Deployment/web-${index}`);
    for (const recommender of [threads, inline]) {
      for (const [index, workload] of names.entries()) {
        for (let minute = 0; minute < 26 * 60; minute += 5) {
          const sample = { at: T0 + minute * 60_000, cpuMillicores: 100 + index * ((minute / 60) % 7), memoryBytes: 2 ** 28 };
          recommender.observe(workload, 'main', 'pod', sample);
        }
      }
    }
    const now = T0 + 26 * HOUR_MS;
    for (const workload of names) expect(await threads.advise(workload, now, RULES)).toEqual(await inline.advise(workload, now, RULES));
    expect((await threads.workloads()).toSorted()).toEqual(names.toSorted());

    const portions = [];
    for await (const portion of threads.changedSince(null)) portions.push(...portion);
    const next = openRecommender(0, parts);
    expect(await next.restore(portions)).toEqual({ restored: 12, refused: 0 });
    expect(await next.advise(names[3]!, now, RULES)).toEqual(await inline.advise(names[3]!, now, RULES));
  });
});
