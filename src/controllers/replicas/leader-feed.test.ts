import { describe, expect, test } from '@jest/globals';
import { aContainer, aPodRecord, aWorkloadRecord, T0 } from '../../../test/builders/rightsizing.ts';
import { FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { FakeClusterReader } from '../../../test/fakes/fake-cluster-reader.ts';
import { WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { SharedRecord, SharedState } from '../../ports/cluster/shared-state.ts';
import type { UsageReading, UsageSourceStatus } from '../../ports/usage/usage-source.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS } from '../../runtime/metrics.ts';
import { type DecidedWorkload, DecisionCache } from '../../state/decision-cache.ts';
import { UsageModel } from '../../state/usage/usage-model.ts';
import { LeaderFeed } from './leader-feed.ts';
import { shareDecisions, shareSource, sharingSink } from './notify-followers.ts';

/** The shared part of a store, in memory; what goes in comes out as JSON. */
class MemoryShared implements SharedState {
  readonly records: SharedRecord[] = [];
  away = false;
  reads = 0;
  /** Records per response. */
  page = 2;

  share(record: SharedRecord): void {
    this.records.push(JSON.parse(JSON.stringify(record)) as SharedRecord);
  }

  async changes(cursor: number) {
    this.reads += 1;
    if (this.away) throw new Error('the store is away');
    const records = this.records.slice(cursor, cursor + this.page);
    return { records, cursor: cursor + records.length, more: records.length === this.page };
  }

  discardQueued(): void {
    this.records.splice(0);
  }
}

function aReplica(clock: FakeClock, shared: SharedState) {
  const reader = new FakeClusterReader();
  reader.podList = [aPodRecord({ containers: [aContainer()] })];
  reader.workloadList = [aWorkloadRecord()];
  const usage = new UsageModel({ clock, reader, logger: SILENT_LOGGER, metrics: NO_METRICS, intervalMs: MINUTE_MS });
  const taken = new Map<string, DecidedWorkload>();
  const decisions = {
    takeOver: (key: string, decided: DecidedWorkload | null) => {
      if (decided === null) taken.delete(key);
      else taken.set(key, decided);
    },
  };
  const feed = new LeaderFeed({
    shared,
    usage,
    decisions,
    intervalMs: MINUTE_MS,
    clock,
    machine: clock,
    logger: SILENT_LOGGER,
    metrics: NO_METRICS,
  });
  return { usage, taken, feed };
}

const aReading = (at: number, cpuMillicores: number | null): UsageReading => {
  const { namespace, name, containers } = aPodRecord({ containers: [aContainer()] });
  const container = containers[0]?.name ?? '';
  return {
    node: 'n1',
    containers: [{ namespace, pod: name, container, at, cpuMillicores, memoryBytes: 2 ** 20 }],
    nodeUsage: { node: 'n1', at, cpuMillicores: 900, memoryBytes: 2 ** 30 },
  };
};

const aDecision = (): DecidedWorkload => ({
  policy: 'default',
  published: false,
  status: { state: 'recommended' },
  advice: [],
  savings: { potentialPerMonthUsd: 1, reclaimedPerMonthUsd: null },
});

const samplesOf = (usage: UsageModel) => {
  const { namespace, name } = aPodRecord();
  return [...usage.containersOf(namespace, name).values()].map(({ at, cpuMillicores }) => [at, cpuMillicores]);
};

describe('a follower', () => {
  test('has the same usage as the leader after one read, with the leader’s timestamps', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    const [leader, follower] = [aReplica(clock, shared), aReplica(clock, shared)];
    const sink = sharingSink(leader.usage, shared, clock);
    await follower.feed.start();
    sink.onUsage(aReading(T0, 120));
    await clock.advance(15 * SECOND_MS);
    expect(samplesOf(follower.usage)).toEqual([[T0, 120]]);
    expect(samplesOf(follower.usage)).toEqual(samplesOf(leader.usage));
    expect(follower.usage.usedByNode('n1')).toEqual(leader.usage.usedByNode('n1'));
    expect(follower.usage.confirmedAt()).toBe(leader.usage.confirmedAt());
  });

  test('has the leader’s usage source and its problems until it leads itself', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    const { feed } = aReplica(clock, shared);
    const none = { problem: null, kubeletProblem: null, throttlingProblem: null };
    let status: UsageSourceStatus = { name: 'kubelet', ...none };
    const stop = shareSource(() => status, shared, clock, MINUTE_MS);
    await feed.start();
    expect(feed.source()).toEqual(status);
    status = { name: 'metrics.k8s.io', problem: 'a', kubeletProblem: 'b', throttlingProblem: 'c' };
    await clock.advance(MINUTE_MS + 15 * SECOND_MS);
    expect(feed.source()).toEqual(status);
    stop();
    await feed.stop();
    expect(feed.source()).toBeNull();
    expect(clock.waiting).toBe(0);
  });

  test('usage of a leader that has ended becomes stale', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    sharingSink(aReplica(clock, shared).usage, shared, clock).onUsage(aReading(T0, 120));
    await clock.advance(10 * MINUTE_MS);
    const late = aReplica(clock, shared);
    await late.feed.start();
    expect([late.usage.confirmedAt(), late.usage.isStale(), late.usage.isNodeStale('n1')]).toEqual([T0, true, true]);
  });

  test('reports an unreachable store and retries; once it answers, the missed changes are read', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    const { feed, usage } = aReplica(clock, shared);
    await feed.start();
    expect(feed.problem()).toBeNull();
    shared.away = true;
    await clock.advance(15 * SECOND_MS);
    expect(feed.problem()).toMatch(/shared store cannot be reached/);
    sharingSink(aReplica(clock, shared).usage, shared, clock).onUsage(aReading(clock.now(), 50));
    const sharedAt = clock.now();
    shared.away = false;
    await clock.advance(3 * SECOND_MS);
    expect([feed.problem(), samplesOf(usage)]).toEqual([null, [[sharedAt, 50]]]);
  });

  test('takes over decisions and ignores records that it cannot decode', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    const { feed, taken, usage } = aReplica(clock, shared);
    const decided = aDecision();
    shared.share({ topic: 'decision', key: WEB, at: T0, body: decided });
    shared.share({ topic: 'decision', key: 'shop/Deployment/other', at: T0, body: { verdict: 'of another version' } });
    shared.share({ topic: 'usage', key: 'n1', at: T0, body: { cells: [] } });
    shared.share({ topic: 'usage', key: 'n2', at: T0, body: null });
    shared.share({ topic: 'source', key: 'usage', at: T0, body: { source: 'kubelet' } });
    shared.share({ topic: 'usage', key: 'n3', at: T0, body: { containers: [null] } });
    await feed.start();
    expect([...taken]).toEqual([[WEB, decided]]);
    expect([feed.problem(), feed.source(), usage.confirmedAt()]).toEqual([null, null, 0]);
  });

  test('drops a decision that the leader drops', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    const { feed, taken } = aReplica(clock, shared);
    const cache = new DecisionCache(undefined as never);
    const stop = shareDecisions(cache, shared, clock);
    cache.record(WEB, aDecision());
    await feed.start();
    expect([...taken.keys()]).toEqual([WEB]);
    cache.forget(WEB);
    cache.forget('shop/Deployment/never-decided');
    stop();
    await clock.advance(15 * SECOND_MS);
    expect([[...taken.keys()], shared.records.length]).toEqual([[], 2]);
  });

  test('ignores a response that arrives after it leads', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    const { feed, taken } = aReplica(clock, shared);
    shared.share({ topic: 'decision', key: WEB, at: T0, body: aDecision() });
    let answer: () => void = () => undefined;
    const { records } = shared;
    shared.changes = () => new Promise((resolve) => (answer = () => resolve({ records, cursor: 1, more: false })));
    void feed.start();
    const stopped = feed.stop();
    await clock.advance(2 * SECOND_MS);
    await stopped;
    answer();
    await settle();
    expect([taken.size, clock.waiting]).toEqual([0, 0]);
  });

  test('reads the last changes before it leads, does not wait for a store that hangs, and then stops reading', async () => {
    const clock = new FakeClock(T0);
    const shared = new MemoryShared();
    const { feed, usage } = aReplica(clock, shared);
    await feed.start();
    sharingSink(aReplica(clock, shared).usage, shared, clock).onUsage(aReading(T0, 70));
    await feed.stop();
    expect(samplesOf(usage)).toEqual([[T0, 70]]);
    const { reads } = shared;
    await clock.advance(5 * MINUTE_MS);
    expect([shared.reads, feed.isFollowing(), clock.waiting]).toEqual([reads, false, 0]);

    await feed.start();
    shared.changes = () => new Promise(() => undefined);
    const stopped = feed.stop();
    await clock.advance(2 * SECOND_MS);
    await stopped;
    expect(feed.problem()).toBeNull();
  });
});
