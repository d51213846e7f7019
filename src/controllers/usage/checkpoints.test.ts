import { describe, expect, test } from '@jest/globals';
import { T0 } from '../../../test/builders/rightsizing.ts';
import { FakeActivity, FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES } from '../../core/recommender/advice.ts';
import { aRecommender } from '../../../test/fakes/a-recommender.ts';
import type { UsageCheckpoint } from '../../ports/usage/checkpoint-store.ts';
import { Checkpoints } from './checkpoints.ts';

class MemoryStore {
  readonly stored = new Map<string, UsageCheckpoint>();
  readonly terms = new Map<string, number>();
  away = false;
  readonly saves: number[] = [];
  whileSaving: () => void = () => undefined;

  async saveCheckpoints(checkpoints: readonly UsageCheckpoint[], term: number): Promise<number | null> {
    this.#reach();
    this.saves.push(checkpoints.length);
    this.whileSaving();
    const refused = checkpoints.filter(({ key }) => (this.terms.get(key) ?? 0) > term);
    for (const checkpoint of checkpoints) {
      if (refused.includes(checkpoint)) continue;
      this.stored.set(checkpoint.key, checkpoint);
      this.terms.set(checkpoint.key, term);
    }
    return refused.length === 0 ? null : Math.max(...refused.map(({ key }) => this.terms.get(key) ?? 0));
  }

  async *loadCheckpoints(): AsyncIterable<UsageCheckpoint> {
    this.#reach();
    yield* this.stored.values();
  }

  async deleteCheckpoints(keys: readonly string[]): Promise<void> {
    this.#reach();
    for (const key of keys) this.stored.delete(key);
  }

  #reach(): void {
    if (this.away) throw new Error('the store is away');
  }
}

function aReplica(store: MemoryStore, clock: FakeClock, isLeader: () => boolean = () => true) {
  const recommender = aRecommender();
  const logger = new RecordingLogger();
  const checkpoints = new Checkpoints({ recommender, store, isLeader, clock, activity: new FakeActivity(), logger });
  /** @param samples one a minute, up to now */
  const learn = (samples: number): void => {
    for (let minute = samples; minute > 0; minute -= 1) {
      recommender.observe(WEB, 'main', 'web-1', { at: clock.now() - minute * MINUTE_MS, cpuMillicores: 100, memoryBytes: 2 ** 28 });
    }
  };
  const rules = new Map([['main', DEFAULT_RECOMMENDER_RULES]]);
  const samples = async (): Promise<number> => (await recommender.advise(WEB, clock.now(), rules))[0]?.samples ?? 0;
  return { recommender, checkpoints, learn, samples, logger };
}

describe('the recommender’s state', () => {
  test('is saved periodically and at the end, only by the leader', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const [leader, follower] = [aReplica(store, clock), aReplica(store, clock)];
    await Promise.all([leader.checkpoints.restore(), follower.checkpoints.restore()]);
    leader.learn(100);
    follower.learn(50);
    leader.checkpoints.start(0);
    await clock.advance(30 * MINUTE_MS);
    expect(store.stored.size).toBe(1);
    await follower.checkpoints.stop();
    await leader.checkpoints.stop();
    const next = aReplica(store, clock);
    await next.checkpoints.restore();
    expect(await next.samples()).toBe(100);
  });

  test('is restored into a thread that is replaced before any checkpoint was read', async () => {
    const store = new MemoryStore();
    const { recommender, checkpoints } = aReplica(store, new FakeClock(T0));
    store.away = true;
    await checkpoints.restore();
    store.away = false;
    // A replaced thread answers no question until its restore has ended.
    recommender.sequenceNumbers = () => new Promise(() => undefined);
    expect(await checkpoints.restore()).toBe(0);
  });

  test('is not overwritten by a former leader', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const old = aReplica(store, clock);
    await old.checkpoints.restore();
    old.learn(100);
    old.checkpoints.start(0);
    old.checkpoints.leave();
    await clock.advance(60 * MINUTE_MS);
    await old.checkpoints.stop();
    await old.checkpoints.delete([`${WEB}/main`]);
    expect(store.stored.size).toBe(0);
  });

  test('saved late by a former leader does not replace that of its successor, and is logged', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const [old, next] = [aReplica(store, clock, () => false), aReplica(store, clock)];
    old.learn(100);
    old.checkpoints.start(3);
    next.learn(50);
    next.checkpoints.start(4);
    await next.checkpoints.save();
    // The process was suspended since before its lease expired, and this timer fires before the election notices.
    await old.checkpoints.save();
    expect(old.logger.lines).toContainEqual(
      expect.objectContaining({
        message: 'Checkpoints were not saved: a later leader has saved them',
        fields: { term: 3, laterTerm: 4 },
      }),
    );
    const third = aReplica(store, clock);
    await third.checkpoints.restore();
    expect(await third.samples()).toBe(50);
  });

  test('is saved again after the lease was deleted, whose transitions count from 0', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const before = aReplica(store, clock);
    before.learn(50);
    before.checkpoints.start(9);
    await before.checkpoints.save();
    const after = aReplica(store, clock);
    await after.checkpoints.restore();
    after.checkpoints.start(0);
    await clock.advance(MINUTE_MS);
    after.learn(1);
    await after.checkpoints.save();
    await after.checkpoints.save();
    expect([...store.terms.values()]).toEqual([10]);
    await after.checkpoints.stop();
  });

  test('is written in batches, and no further batch once the lease is lost', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const { recommender, checkpoints } = aReplica(store, clock);
    for (let index = 0; index < 450; index += 1) {
      const sample = { at: clock.now() - MINUTE_MS, cpuMillicores: 100, memoryBytes: 2 ** 28 };
      recommender.observe(`shop/Deployment/web-${index}`, 'main', `web-${index}-1`, sample);
    }
    checkpoints.start(0);
    store.whileSaving = () => checkpoints.leave();
    await checkpoints.save();
    expect(store.saves).toEqual([200]);
    store.whileSaving = () => undefined;
    checkpoints.start(0);
    await checkpoints.stop();
    expect([store.saves, store.stored.size]).toEqual([[200, 200, 200, 50], 450]);
  });

  test('that is longer or newer is used at a change of leader, be it the stored one or the new leader’s', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const old = aReplica(store, clock);
    old.learn(300);
    await old.checkpoints.save();
    for (const [samples, expected] of [
      [120, 300],
      [310, 310],
    ] as const) {
      const next = aReplica(store, clock);
      next.learn(samples);
      await next.checkpoints.restore();
      expect(await next.samples()).toBe(expected);
    }
  });

  test('of days is not replaced by that of the minutes while the store was unreachable', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const before = aReplica(store, clock);
    before.learn(3_000);
    await before.checkpoints.save();

    store.away = true;
    const next = aReplica(store, clock);
    await next.checkpoints.restore();
    next.learn(20);
    next.checkpoints.start(0);
    await clock.advance(30 * MINUTE_MS);
    store.away = false;
    await clock.advance(30 * MINUTE_MS);
    expect(await next.samples()).toBe(3_000);
    const last = aReplica(store, clock);
    await last.checkpoints.restore();
    expect(await last.samples()).toBe(3_000);
    await next.checkpoints.stop();
  });

  test('of killed containers is saved within seconds, in one write, so that a crash does not lose the kill', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const replica = aReplica(store, clock);
    await replica.checkpoints.restore();
    replica.checkpoints.start(0);
    replica.learn(10);
    for (const container of ['main', 'proxy']) {
      replica.recommender.observeOom(WEB, container, clock.now(), 2 ** 28);
      replica.checkpoints.saveSoon([`${WEB}/${container}`]);
    }
    await clock.advance(5 * SECOND_MS);
    expect([store.saves, [...store.stored.keys()]]).toEqual([[2], [`${WEB}/main`, `${WEB}/proxy`]]);
    const next = aReplica(store, clock);
    await next.checkpoints.restore();
    const [advice] = await next.recommender.advise(WEB, clock.now(), new Map([['main', DEFAULT_RECOMMENDER_RULES]]));
    expect([advice?.oomKills, advice?.samples]).toEqual([1, 10]);
    await replica.checkpoints.stop();
  });

  test('of killed containers is not saved by a replica that does not lead, nor before the store was read', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const follower = aReplica(store, clock);
    await follower.checkpoints.restore();
    follower.learn(10);
    follower.checkpoints.saveSoon([`${WEB}/main`]);
    store.away = true;
    const leader = aReplica(store, clock);
    await leader.checkpoints.restore();
    leader.checkpoints.start(0);
    leader.learn(10);
    leader.checkpoints.saveSoon([`${WEB}/main`]);
    store.away = false;
    await clock.advance(5 * SECOND_MS);
    expect(store.saves).toEqual([]);
    await leader.checkpoints.stop();
  });

  test('of killed containers is not saved while a new leader reads the store', async () => {
    const clock = new FakeClock(T0);
    const store = new MemoryStore();
    const next = aReplica(store, clock);
    await next.checkpoints.restore();
    next.learn(10);
    const before = aReplica(store, clock);
    before.learn(3_000);
    await before.checkpoints.save();
    store.away = true;
    await next.checkpoints.restore();
    store.away = false;
    next.checkpoints.start(1);
    next.checkpoints.saveSoon([`${WEB}/main`]);
    await clock.advance(5 * SECOND_MS);
    const last = aReplica(store, clock);
    await last.checkpoints.restore();
    expect(await last.samples()).toBe(3_000);
    await next.checkpoints.stop();
  });
});
