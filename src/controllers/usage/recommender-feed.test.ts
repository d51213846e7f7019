import { describe, expect, test } from '@jest/globals';
import { aNodeRecord } from '../../../test/builders/records.ts';
import { aContainer, aPodRecord, aWorkloadRecord, T0 } from '../../../test/builders/rightsizing.ts';
import { settle } from '#embedded-cluster/testing/fake-clock';
import { FakeClusterReader } from '../../../test/fakes/fake-cluster-reader.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { WEB } from '../../../test/fakes/worlds/resize-world.ts';
import type { UsageSample } from '#kube/records/usage';
import { DAY_MS, GiB, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { OomKill } from '../../state/evidence/oom-watch.ts';
import { DEFAULT_RECOMMENDER_RULES } from '../../core/recommender/advice.ts';
import { aRecommender } from '../../../test/fakes/a-recommender.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { UsageGraphs } from '../../state/usage/usage-graphs.ts';
import type { SampleListener } from '../../state/usage/usage-model.ts';
import { RecommenderFeed } from './recommender-feed.ts';

function aFeed() {
  const clock = new ManualClock(T0);
  const cluster = new FakeClusterReader();
  const recommender = aRecommender();
  const forgotten: string[] = [];
  const killed: string[] = [];
  const killListeners: ((kill: OomKill) => void)[] = [];
  const listeners: SampleListener[] = [];
  const usage = {
    onSample: (listener: SampleListener) => {
      listeners.push(listener);
      return () => undefined;
    },
    onOomKill: (listener: (kill: OomKill) => void) => {
      killListeners.push(listener);
      return () => undefined;
    },
    containersOf: () => new Map(),
    graphs: new UsageGraphs(),
  };
  const feed = new RecommenderFeed({
    cluster,
    usage,
    recommender,
    clock,
    logger: SILENT_LOGGER,
    onForgotten: (keys) => void forgotten.push(...keys),
    onKill: (keys) => void killed.push(...keys),
  });
  const notify = (sample: UsageSample): void =>
    listeners.forEach((listener) => listener(WEB, 'main', cluster.podList[0] ?? aPodRecord(), sample));
  const kill = (oom: OomKill): void => killListeners.forEach((listener) => listener(oom));
  return { clock, cluster, recommender, forgotten, killed, feed, notify, kill, listeners };
}

describe('the recommender’s samples', () => {
  test('exclude CPU of the start-up, but not its memory', async () => {
    const { clock, cluster, recommender, feed, notify } = aFeed();
    cluster.workloadList = [aWorkloadRecord()];
    cluster.podList = [aPodRecord({ containers: [aContainer({ record: { startedAt: T0 } })], readySince: T0 + MINUTE_MS })];
    await feed.start();
    for (let minute = 1; minute <= 180; minute += 1) {
      clock.advance(MINUTE_MS);
      const starting = minute < 3;
      notify({ at: clock.now(), cpuMillicores: starting ? 4_000 : 100, memoryBytes: starting ? 2 ** 30 : 2 ** 28 });
    }
    const [advice] = await recommender.advise(WEB, clock.now(), new Map([['main', DEFAULT_RECOMMENDER_RULES]]));
    expect(Math.round((advice?.usage.max.cpuMillicores ?? 0) / 10)).toBe(10);
    expect(advice?.usage.max.memoryBytes).toBeGreaterThan(0.9 * 2 ** 30);
  });

  test('a deleted workload is forgotten after a week, together with its checkpoints', async () => {
    const { clock, cluster, recommender, forgotten, feed } = aFeed();
    cluster.workloadList = [aWorkloadRecord()];
    recommender.observe(WEB, 'main', 'web-1', { at: T0, cpuMillicores: 1, memoryBytes: 1 });
    // Only in the store: deleted while no controller ran.
    recommender.observe('shop/Deployment/old', 'main', 'old-1', { at: T0, cpuMillicores: 1, memoryBytes: 1 });
    await feed.start();
    clock.advance(6 * DAY_MS);
    expect(forgotten).toEqual([]);
    clock.advance(2 * DAY_MS);
    await settle();
    expect(forgotten).toEqual(['shop/Deployment/old/main']);
    expect(await recommender.workloads()).toEqual([WEB]);
    feed.stop();
  });

  test('exclude pods without a workload, whose history would never be deleted', async () => {
    const { cluster, recommender, feed, listeners } = aFeed();
    cluster.workloadList = [aWorkloadRecord()];
    await feed.start();
    const sample = { at: T0, cpuMillicores: 1, memoryBytes: 1 };
    for (const key of ['ci/Pod/runner-1', 'ci/Workflow/build-2', WEB])
      listeners.forEach((notify) => notify(key, 'main', aPodRecord(), sample));
    expect(await recommender.workloads()).toEqual([WEB]);
    const past = (kind: string, name: string) => ({
      namespace: 'shop',
      pod: 'p',
      container: 'main',
      workload: { namespace: 'shop', kind, name },
      stepSeconds: 300,
      samples: [{ ...sample, at: T0 - MINUTE_MS }],
      oomKills: [],
    });
    async function* range() {
      yield* [past('Deployment', 'long-gone'), past('Pod', 'bare'), past('Job', 'import-abc12')];
    }
    await feed.readPast({ name: 'test', range }, DAY_MS, new AbortController().signal);
    expect(await recommender.workloads()).toEqual([WEB]);
    feed.stop();
  });

  test('a deleted workload is remembered for no longer than it existed', async () => {
    const { clock, cluster, recommender, feed, notify } = aFeed();
    await feed.start();
    cluster.workloadList = [aWorkloadRecord({ createdAt: T0 })];
    cluster.announce({ kind: 'workload', key: WEB });
    notify({ at: T0, cpuMillicores: 1, memoryBytes: 1 });
    clock.advance(90 * MINUTE_MS);
    cluster.workloadList = [];
    cluster.announce({ kind: 'workload', key: WEB });
    clock.advance(HOUR_MS);
    await settle();
    expect(await recommender.workloads()).toEqual([WEB]);
    clock.advance(2 * HOUR_MS);
    await settle();
    expect(await recommender.workloads()).toEqual([]);
    feed.stop();
  });
});

test('past usage of a DaemonSet is also added per node class, for pods that still exist', async () => {
  const { clock, cluster, recommender, feed } = aFeed();
  const AGENT = 'shop/DaemonSet/agent';
  const size = { cpuMillicores: 2_000, memoryBytes: 8 * GiB };
  cluster.nodeList = [aNodeRecord({ name: 'n1', allocatable: size })];
  cluster.podList = [aPodRecord({ name: 'agent-1', node: 'n1' })];
  cluster.workloadList = [aWorkloadRecord({ kind: 'DaemonSet', name: 'agent' })];
  const samples = [{ at: T0 - MINUTE_MS, cpuMillicores: 50, memoryBytes: 2 ** 26 }];
  const past = (pod: string) => ({
    namespace: 'shop',
    pod,
    container: 'main',
    workload: { namespace: 'shop', kind: 'DaemonSet', name: 'agent' },
    stepSeconds: 300,
    samples,
    oomKills: [],
  });
  async function* range() {
    yield past('agent-1');
    yield past('agent-gone');
  }
  const result = await feed.readPast({ name: 'test', range }, DAY_MS, new AbortController().signal);
  expect(result).toMatchObject({ series: 2, samples: 2 });
  const rules = new Map(['main', 'main@2cpu-8Gi'].map((name) => [name, DEFAULT_RECOMMENDER_RULES]));
  const advice = await recommender.advise(AGENT, clock.now(), rules);
  expect(advice.map(({ container, samples: count }) => [container, count])).toEqual([
    ['main', 2],
    ['main@2cpu-8Gi', 1],
  ]);
});

test('checkpoints are saved soon after a kill, since the usage before it is known now', async () => {
  const { clock, cluster, feed, kill, killed } = aFeed();
  cluster.workloadList = [aWorkloadRecord()];
  await feed.start();
  kill({
    workload: WEB,
    namespace: 'shop',
    pod: 'web-1',
    container: 'main',
    at: clock.now(),
    startedAt: null,
    memoryLimitBytes: 2 ** 28,
  });
  expect(killed).toEqual([`${WEB}/main`]);
});

test('other events are served while the versions of many workloads are recorded', async () => {
  const { cluster, feed } = aFeed();
  cluster.workloadList = Array.from({ length: 2_000 }, (_, index) => aWorkloadRecord({ name: `web-${index}` }));
  const progress = { isStarting: true, served: 0 };
  const started = feed.start().then(() => (progress.isStarting = false));
  while (progress.isStarting) {
    await new Promise((resolve) => setImmediate(resolve));
    progress.served += 1;
  }
  await started;
  expect(progress.served).toBeGreaterThanOrEqual(4);
  feed.stop();
});
