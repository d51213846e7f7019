// OOM kills of processes whose containers keep running, from the readings of a node to a decision.

import { describe, expect, test } from '@jest/globals';
import { aContainer, amounts, aPodRecord, aSituation, aWorkloadRecord, memory, T0 } from '../../../test/builders/rightsizing.ts';
import { aRecommender } from '../../../test/fakes/a-recommender.ts';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeClusterReader } from '../../../test/fakes/fake-cluster-reader.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { WEB } from '../../../test/fakes/worlds/resize-world.ts';
import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES } from '../../core/recommender/advice.ts';
import { decideWorkload } from '../../core/resize/layers/decide-workload.ts';
import type { WorkloadDecision } from '../../core/resize/model/decision.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { UsageModel } from '../../state/usage/usage-model.ts';
import { RecommenderFeed } from './recommender-feed.ts';

const DEPLOYED = { requests: amounts('100m', '256Mi'), limits: amounts(null, '512Mi') };
const KILLED = 'web-2';

/** Three pods with a main process that keeps running when one of its workers is killed. */
class Workers {
  readonly #clock = new ManualClock(T0);
  readonly #cluster = new FakeClusterReader();
  readonly #recommender = aRecommender();
  readonly #usage: UsageModel;
  readonly #behindMs: number;

  /** @param behindMs how far the clock of their node is behind */
  constructor(behindMs: number) {
    this.#behindMs = behindMs;
    this.#cluster.workloadList = [aWorkloadRecord({}, DEPLOYED)];
    this.#cluster.podList = [1, 2, 3].map((index) => {
      return aPodRecord({ name: `web-${index}`, labels: { workload: 'web' }, containers: [aContainer(DEPLOYED)] });
    });
    const [clock, logger] = [this.#clock, SILENT_LOGGER];
    this.#usage = new UsageModel({ clock, reader: this.#cluster, logger, metrics: new CountingMetrics(), intervalMs: MINUTE_MS });
    const feed = {
      cluster: this.#cluster,
      usage: this.#usage,
      recommender: this.#recommender,
      clock,
      logger,
      onForgotten: () => undefined,
      onKill: () => undefined,
    };
    this.#feed = new RecommenderFeed(feed);
  }

  readonly #feed: RecommenderFeed;

  async start(): Promise<void> {
    await this.#feed.start();
  }

  /** @param mib working set of the pod that is killed later; the others use 100 MiB */
  live(forMs: number, mib: number): void {
    for (const end = this.#clock.now() + forMs; this.#clock.now() < end;) {
      this.#clock.advance(MINUTE_MS);
      const at = this.#clock.now() - this.#behindMs;
      const containers = this.#cluster.podList.map(({ namespace, name }) => {
        const memoryBytes = (name === KILLED ? mib : 100) * MiB;
        return { namespace, pod: name, container: 'main', at, cpuMillicores: 80, memoryBytes };
      });
      this.#usage.onUsage({ node: 'n1', containers, nodeUsage: null });
    }
  }

  /** Reports the kernel's OOM kills of the last hour from the node's counters. */
  count(oomEvents: number): void {
    const at = this.#clock.now();
    const evidence = { namespace: 'shop', pod: KILLED, container: 'main', at, spanMs: HOUR_MS, throttledRatio: null, oomEvents };
    this.#usage.onEvidence({ node: 'n1', source: 'kubelet', at, containers: [evidence] });
    this.live(MINUTE_MS, 100);
  }

  /** Shows the kill of the container in the pod's status. */
  showKill(minutesAgo: number): void {
    const finishedAt = this.#clock.now() - this.#behindMs - minutesAgo * MINUTE_MS;
    const lastTermination = { reason: 'OOMKilled', exitCode: 137, startedAt: T0 - this.#behindMs, finishedAt };
    const killed = (pod: PodRecord): PodRecord => ({ ...pod, containers: [aContainer({ ...DEPLOYED, record: { lastTermination } })] });
    this.#cluster.podList = this.#cluster.podList.map((pod) => (pod.name === KILLED ? killed(pod) : pod));
    this.#cluster.announce({ kind: 'pod', key: `shop/${KILLED}`, workload: WEB });
  }

  async decide(): Promise<WorkloadDecision> {
    const now = this.#clock.now();
    const pods = this.#cluster.podList;
    const advice = await this.#recommender.advise(WEB, now, new Map([['main', DEFAULT_RECOMMENDER_RULES]]));
    const largestNode = { cpuMillicores: 16_000, memoryBytes: memory('64Gi') };
    const countedKills = new Map(pods.map((pod) => [pod.uid, this.#usage.countedKillsOf(pod)]));
    return decideWorkload(aSituation({ now, workload: aWorkloadRecord({}, DEPLOYED), pods, advice, largestNode, countedKills }));
  }
}

async function after(happens: (workers: Workers) => void, behindMs = 0): Promise<WorkloadDecision> {
  const workers = new Workers(behindMs);
  await workers.start();
  workers.live(DAY_MS, 100);
  happens(workers);
  return workers.decide();
}

/** Raised memory limits in MiB, by pod. */
function raised({ steps }: WorkloadDecision): readonly (readonly [string, number])[] {
  return steps.flatMap(({ pod, containers }) => {
    const bytes = containers[0]?.to.limits.memoryBytes ?? 0;
    return bytes > 512 * MiB ? [[pod.name, bytes / MiB] as const] : [];
  });
}

test('a worker killed near the limit of its container raises the limit of its pod', async () => {
  const decision = await after((workers) => {
    workers.live(10 * MINUTE_MS, 480);
    workers.live(40 * MINUTE_MS, 100);
    workers.count(3);
  });
  expect(raised(decision)).toEqual([[KILLED, 615]]);
});

test('a worker killed far below the limit ran into memory pressure of its node: no limit is raised, and an Event reports it', async () => {
  const decision = await after((workers) => workers.count(3));
  expect(raised(decision)).toEqual([]);
  expect(decision.events.map(({ reason }) => reason)).toEqual(['NodeOutOfMemory']);
});

describe.each([0, 2 * HOUR_MS, -2 * HOUR_MS])('on a node whose clock is %d ms behind', (behindMs) => {
  test.each<[string, readonly ('showKill' | 'count')[]]>([
    ['before the counter is read', ['showKill', 'count']],
    ['after it', ['count', 'showKill']],
  ])('the kill of a whole container, shown by its pod %s, counts once', async (_case, order) => {
    const decision = await after((workers) => {
      workers.live(30 * MINUTE_MS, 480);
      for (const method of order) workers[method](method === 'count' ? 1 : 20);
    }, behindMs);
    // A second kill would raise the others as well.
    expect(decision.containers[0]?.advice?.oomKills).toBe(1);
  });

  test('the kill of a container is compared with its last working set', async () => {
    const decision = await after((workers) => {
      workers.live(30 * MINUTE_MS, 480);
      workers.showKill(0);
    }, behindMs);
    expect([raised(decision), decision.events]).toEqual([[[KILLED, 615]], []]);
  });
});

test('a counter that does not grow is no kill', async () => {
  const decision = await after((workers) => {
    workers.live(10 * MINUTE_MS, 480);
    workers.count(0);
  });
  expect([raised(decision), decision.events]).toEqual([[], []]);
});
