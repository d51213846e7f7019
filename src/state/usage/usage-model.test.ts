import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aContainerRecord, aNodeRecord, aPodRecord, aWorkloadRecord, ownedBy } from '../../../test/builders/records.ts';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import type { PodRecord } from '#kube/records/pod';
import { DEFAULT_RECOMMENDER_RULES } from '../../core/recommender/advice.ts';
import { ContainerModel } from '../../core/recommender/container-model.ts';
import type { ContainerUsage } from '#kube/records/usage';
import { GiB } from '#kube/units';
import { workloadKey } from '#kube/records/workload';
import type { UsagePoint } from '../../ports/usage/usage-rollups.ts';
import { ClusterState } from '../cluster-state.ts';
import { addUsage, UsageModel } from './usage-model.ts';
import { SLOT_MS, UsageRing } from './usage-ring.ts';

const T = Date.UTC(2026, 0, 1);
const KEY = 'default/StatefulSet/db';
const db = aWorkloadRecord({ kind: 'StatefulSet', name: 'db' });

let clock: FakeClock;
let state: ClusterState;
let metrics: CountingMetrics;
let model: UsageModel;

beforeEach(() => {
  clock = new FakeClock(T);
  state = new ClusterState();
  metrics = new CountingMetrics();
  model = new UsageModel({ clock, reader: state, logger: new RecordingLogger(), metrics, intervalMs: 60_000 });
  state.apply({ kind: 'workload', key: KEY, record: db });
  state.apply({ kind: 'node', key: 'n1', record: aNodeRecord({ name: 'n1' }) });
  for (const name of ['db-0', 'db-1']) putPod(aPodRecord({ name, node: 'n1', owner: ownedBy(db) }));
});

function putPod(pod: PodRecord): void {
  state.apply({ kind: 'pod', key: `default/${pod.name}`, record: pod });
}

function read(...containers: (Partial<ContainerUsage> & { readonly pod: string })[]): void {
  model.onUsage({
    node: 'n1',
    nodeUsage: null,
    containers: containers.map((one) => ({
      namespace: 'default',
      container: 'app',
      at: clock.now(),
      cpuMillicores: 100,
      memoryBytes: 1_000,
      ...one,
    })),
  });
}

function used() {
  return [...model.usedByPod()].reduce(addUsage, { cpuMillicores: null, memoryBytes: null });
}

describe('UsageModel', () => {
  test('sums up the cluster', () => {
    read({ pod: 'db-0', cpuMillicores: 100 }, { pod: 'db-1', cpuMillicores: 50, memoryBytes: 500 });
    expect(used()).toEqual({ cpuMillicores: 150, memoryBytes: 1_500 });
  });

  test('is null without samples, not 0', () => {
    expect(used()).toEqual({ cpuMillicores: null, memoryBytes: null });
    read({ pod: 'db-0', cpuMillicores: null });
    expect(used()).toEqual({ cpuMillicores: null, memoryBytes: 1_000 });
  });

  test.each([
    ['nan', { cpuMillicores: Number.NaN }],
    ['negative', { memoryBytes: -1 }],
    ['future', { at: T + 120_000 }],
    ['out-of-order', { at: T - 60_000 }],
    ['absurd', { cpuMillicores: 1e12 }],
    ['absurd', { memoryBytes: 20 * GiB }],
    ['absurd', { cpuMillicores: 9_000 }],
    ['empty', { cpuMillicores: null, memoryBytes: null }],
    ['unknown-pod', { pod: 'stranger' }],
  ])('drops and counts a sample that is %s', (reason, wrong) => {
    read({ pod: 'db-0', at: T - 1 });
    const notified: string[] = [];
    model.onSample((workload) => notified.push(workload));
    read({ pod: 'db-0', at: T, ...wrong });
    expect(metrics.total('evenkeel_usage_samples_dropped_total', { reason })).toBe(1);
    expect(notified).toEqual([]);
  });

  test('notifies the listeners of each valid sample with its workload', () => {
    const notified: unknown[] = [];
    model.onSample((workload, container, pod, sample) => notified.push([workload, container, pod.name, sample.cpuMillicores]));
    read({ pod: 'db-0' }, { pod: 'db-1', cpuMillicores: 7 });
    expect(notified).toEqual([
      [KEY, 'app', 'db-0', 100],
      [KEY, 'app', 'db-1', 7],
    ]);
  });

  test('is stale after two periods without a reading, and old samples do not count', async () => {
    expect(model.isStale()).toBe(true);
    read({ pod: 'db-0' });
    expect([model.isStale(), model.confirmedAt()]).toEqual([false, T]);
    await clock.advance(121_000);
    expect(model.isStale()).toBe(true);
    await clock.advance(60_000);
    expect(used().cpuMillicores).toBeNull();
  });

  test('reports a node’s clock that is ahead, and does not confirm its ignored usage', async () => {
    read({ pod: 'db-0', at: T });
    await clock.advance(180_000);
    read({ pod: 'db-0', at: clock.now() + 600_000 });
    expect(model.problem()).toBe('the clock of n1 is 10m ahead of the controller’s, or the controller’s is behind: its usage is ignored');
    expect([model.isStale(), model.isNodeStale('n1')]).toEqual([true, true]);
    read({ pod: 'db-0' });
    expect([model.problem(), model.isStale(), model.isNodeStale('n1')]).toEqual([null, false, false]);
  });

  test('continues to be confirmed after the clock was set back', async () => {
    await clock.advance(60 * 60_000);
    read({ pod: 'db-0' });
    const resetClock = new FakeClock(T);
    clock.now = () => resetClock.now();
    read({ pod: 'db-0' });
    expect(model.confirmedAt()).toBe(T);
    await resetClock.advance(121_000);
    expect(model.isStale()).toBe(true);
  });

  test('continues to accept samples after the clock was set back', async () => {
    await clock.advance(60 * 60_000);
    read({ pod: 'db-0' });
    clock.now = () => T;
    read({ pod: 'db-0', cpuMillicores: 300 });
    expect(model.containersOf('default', 'db-0').get('app')?.cpuMillicores).toBe(300);
  });

  test('a node that was never read, or not for two periods, is stale', async () => {
    read({ pod: 'db-0' });
    expect([model.isNodeStale('n1'), model.isNodeStale('n2')]).toEqual([false, true]);
    await clock.advance(120_000);
    expect(model.isNodeStale('n1')).toBe(false);
    await clock.advance(1);
    expect(model.isNodeStale('n1')).toBe(true);
  });

  describe('a pod is unread', () => {
    const isUnread = () => model.isUnread(state.findPod('default', 'db-0')!);

    test('if its node answers without it, or without it for three periods', async () => {
      read({ pod: 'db-1' });
      expect(isUnread()).toBe(true);
      read({ pod: 'db-0' });
      expect(isUnread()).toBe(false);
      await clock.advance(180_000);
      read({ pod: 'db-1' });
      expect(isUnread()).toBe(false);
      await clock.advance(1);
      expect(isUnread()).toBe(true);
    });

    test('not earlier if it is read more often than its source measures', () => {
      model = new UsageModel({ clock, reader: state, logger: new RecordingLogger(), metrics: new CountingMetrics(), intervalMs: 10_000 });
      read({ pod: 'db-0', at: T - 180_000 });
      expect(isUnread()).toBe(false);
      model = new UsageModel({ clock, reader: state, logger: new RecordingLogger(), metrics: new CountingMetrics(), intervalMs: 10_000 });
      read({ pod: 'db-0', at: T - 180_001 });
      expect(isUnread()).toBe(true);
    });

    test('if CPU or memory is missing', () => {
      read({ pod: 'db-0', cpuMillicores: null });
      expect(isUnread()).toBe(true);
    });

    test('if one of its containers is missing', () => {
      const app = aContainerRecord({ name: 'app' });
      putPod(aPodRecord({ name: 'db-0', node: 'n1', owner: ownedBy(db), containers: [app, aContainerRecord({ name: 'proxy' })] }));
      read({ pod: 'db-0' });
      expect(isUnread()).toBe(true);
      read({ pod: 'db-0', container: 'proxy' });
      expect(isUnread()).toBe(false);
    });

    test('if its node was read only before the clock was set back', () => {
      read({ pod: 'db-0' });
      clock.now = () => T - 60 * 60_000;
      expect(isUnread()).toBe(true);
    });

    test('except if it has no node, or the container does not run', () => {
      read({ pod: 'db-0' });
      const ended = aContainerRecord({ name: 'setup', state: 'terminated' });
      putPod(aPodRecord({ name: 'db-0', node: 'n1', owner: ownedBy(db), containers: [aContainerRecord({ name: 'app' }), ended] }));
      expect(isUnread()).toBe(false);
      putPod(aPodRecord({ name: 'db-0', node: null, owner: ownedBy(db) }));
      expect(isUnread()).toBe(false);
    });
  });

  test('reports a problem until every node is read again', () => {
    model.onFailure({ node: 'n1', at: T, message: 'kubelet of node n1: no answer' });
    expect(model.problem()).toBe('kubelet of node n1: no answer');
    read();
    expect(model.problem()).toBeNull();
  });

  test('samples of a deleted pod that are still held are empty, also when another pod has its place', () => {
    read({ pod: 'db-0', cpuMillicores: 100 });
    const held = model.containersOf('default', 'db-0');
    expect(held.get('app')).toMatchObject({ cpuMillicores: 100 });
    state.apply({ kind: 'pod', key: 'default/db-0', record: null });
    read({ pod: 'db-1', cpuMillicores: 7 });
    expect([held.size, held.get('app'), [...held.values()]]).toEqual([0, undefined, []]);
  });

  test('deletes the samples of a deleted pod, and does not give them to a new pod of its name', () => {
    read({ pod: 'db-0' });
    putPod(aPodRecord({ name: 'db-0', uid: 'next', node: 'n1', owner: ownedBy(db) }));
    expect(model.containersOf('default', 'db-0').size).toBe(0);
    read({ pod: 'db-0', at: T });
    expect(model.containersOf('default', 'db-0').size).toBe(1);
  });

  test('deletes the series of pods without a workload after the last of them is deleted', () => {
    const owner = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', name: 'build-1', uid: 'uid-build-1' };
    for (const name of ['build-1-a', 'build-1-b']) putPod(aPodRecord({ name, node: 'n1', owner }));
    read({ pod: 'build-1-a' }, { pod: 'build-1-b' });
    const key = 'default/Workflow/build-1';
    state.apply({ kind: 'pod', key: 'default/build-1-a', record: null });
    expect(model.graphs.seriesOf(key)).toEqual(['app']);
    state.apply({ kind: 'pod', key: 'default/build-1-b', record: null });
    expect(model.graphs.seriesOf(key)).toEqual([]);
  });

  test('deletes the series of a workload whose pods are deleted later', () => {
    read({ pod: 'db-0' });
    state.apply({ kind: 'workload', key: KEY, record: null });
    read({ pod: 'db-0', at: clock.now() + 1 });
    for (const name of ['db-0', 'db-1']) state.apply({ kind: 'pod', key: `default/${name}`, record: null });
    expect(model.graphs.seriesOf(KEY)).toEqual([]);
  });

  test('keeps the series of a workload that is scaled to zero', () => {
    read({ pod: 'db-0' }, { pod: 'db-1' });
    for (const name of ['db-0', 'db-1']) state.apply({ kind: 'pod', key: `default/${name}`, record: null });
    expect(model.graphs.seriesOf(KEY)).toEqual(['app']);
  });

  test('deletes a volume that no node has reported for a day', async () => {
    const volume = (claim: string) => {
      return { namespace: 'default', pod: 'db-0', claim, at: clock.now(), usedBytes: 1, capacityBytes: 2 };
    };
    model.onSummary({ node: 'n1', volumes: [volume('scratch'), volume('data')], network: [], pressure: null });
    for (let hour = 0; hour < 26; hour += 1) {
      await clock.advance(60 * 60_000);
      model.onSummary({ node: 'n1', volumes: [volume('data')], network: [], pressure: null });
    }
    expect([...model.volumes()].map(({ claim }) => claim)).toEqual(['data']);
  });

  test('reports each complete 5-minute point once, over all replicas', async () => {
    const points: UsagePoint[] = [];
    model.graphs.onPoint((point) => points.push(point));
    for (let minute = 0; minute <= 10; minute++) {
      read({ pod: 'db-0', cpuMillicores: 100 }, { pod: 'db-1', cpuMillicores: 50 });
      await clock.advance(60_000);
    }
    expect(points).toEqual([
      { key: `${KEY}/app`, at: T, cpuMillicores: 150, memoryBytes: 2_000, replicas: 2 },
      { key: `${KEY}/app`, at: T + SLOT_MS, cpuMillicores: 150, memoryBytes: 2_000, replicas: 2 },
    ]);
  });

  test('shows recorded usage in graphs without notifying the listeners', () => {
    const notified: string[] = [];
    model.onSample((workload) => notified.push(workload));
    const samples = [T - 600_000, T - 300_000].map((at) => ({ at, cpuMillicores: 10, memoryBytes: 20 }));
    model.graphs.load(
      {
        namespace: 'default',
        pod: 'old',
        container: 'app',
        workload: { namespace: 'default', kind: 'StatefulSet', name: 'db' },
        stepSeconds: 300,
        samples,
        oomKills: [],
      },
      clock.now(),
    );
    expect(model.graphs.series(KEY, 'app', T - 3_600_000, T).map((slot) => slot.cpuMillicores)).toEqual([10, 10]);
    expect(notified).toEqual([]);
  });
});

describe('A node can report only its own pods', () => {
  const foreign = () => metrics.total('evenkeel_usage_samples_dropped_total', { reason: 'foreign-pod' });

  beforeEach(() => {
    state.apply({ kind: 'node', key: 'n2', record: aNodeRecord({ name: 'n2' }) });
    putPod(aPodRecord({ name: 'db-2', node: 'n2', owner: ownedBy(db) }));
  });

  test('a sample of a pod of another node is dropped, counted, and not passed to listeners', () => {
    const notified: string[] = [];
    model.onSample((_, __, pod) => notified.push(pod.name));
    read({ pod: 'db-2', cpuMillicores: 9_000 }, { pod: 'db-0' });
    expect([notified, foreign(), model.containersOf('default', 'db-2').size]).toEqual([['db-0'], 1, 0]);
  });

  test('also if its own node has reported it before', async () => {
    const readOwnNode = (cpuMillicores: number) => {
      const usage = { namespace: 'default', pod: 'db-2', container: 'app', at: clock.now(), cpuMillicores, memoryBytes: 1_000 };
      model.onUsage({ node: 'n2', nodeUsage: null, containers: [usage] });
    };
    readOwnNode(10);
    await clock.advance(59_000);
    read({ pod: 'db-2', cpuMillicores: 9_000 });
    await clock.advance(1_000);
    readOwnNode(20);
    expect([model.containersOf('default', 'db-2').get('app')?.cpuMillicores, foreign()]).toEqual([20, 1]);
  });

  test('volumes, network, pressure and counters of a pod of another node are dropped and counted', () => {
    const ref = { namespace: 'default', pod: 'db-2' };
    const container = { ...ref, container: 'app' };
    model.onSummary({
      node: 'n1',
      volumes: [{ ...ref, claim: 'data', at: T, usedBytes: 1, capacityBytes: 2 }],
      network: [{ ...ref, at: T, receiveBytes: 5 }],
      pressure: [{ ...container, at: T, cpuRatio: 1, memoryRatio: 1 }],
    });
    model.onEvidence({
      node: 'n1',
      source: 'kubelet',
      at: T,
      containers: [{ ...container, at: T, spanMs: 1, throttledRatio: 1, oomEvents: 9 }],
    });
    expect([[...model.volumes()], model.networkOf('default', 'db-2')]).toEqual([[], undefined]);
    expect([model.evidence.readingsOf('default', 'db-2'), foreign()]).toEqual([[], 4]);
  });

  test('a pod without a node is unknown, and accepted from its first sample on a node', () => {
    putPod(aPodRecord({ name: 'new', node: null, owner: ownedBy(db) }));
    read({ pod: 'new' });
    expect([foreign(), metrics.total('evenkeel_usage_samples_dropped_total', { reason: 'unknown-pod' })]).toEqual([0, 1]);
    putPod(aPodRecord({ name: 'new', node: 'n1', owner: ownedBy(db) }));
    read({ pod: 'new' });
    expect(model.containersOf('default', 'new').size).toBe(1);
  });

  test('a static pod belongs to its node, by the name of its mirror pod with any UID', () => {
    const annotations = { 'kubernetes.io/config.mirror': '4f1d' };
    putPod(aPodRecord({ name: 'kube-proxy-n1', uid: 'mirror', node: 'n1', annotations }));
    read({ pod: 'kube-proxy-n1' });
    expect(model.containersOf('default', 'kube-proxy-n1').size).toBe(1);
  });

  test('the network reading of a pod is deleted with the pod, and others are kept', () => {
    const network = ['db-0', 'db-1'].map((pod) => ({ namespace: 'default', pod, at: T, receiveBytes: 5 }));
    model.onSummary({ node: 'n1', volumes: [], network, pressure: null });
    expect(model.networkOf('default', 'db-0')).toBeDefined();
    state.apply({ kind: 'pod', key: 'default/db-0', record: null });
    expect([model.networkOf('default', 'db-0'), model.networkOf('default', 'db-1')?.receiveBytes]).toEqual([undefined, 5]);
  });

  test('a summary of a deleted pod is dropped', () => {
    state.apply({ kind: 'pod', key: 'default/db-0', record: null });
    const ref = { namespace: 'default', pod: 'db-0', at: T };
    model.onSummary({ node: 'n1', volumes: [], network: [{ ...ref, receiveBytes: 5 }], pressure: null });
    expect(model.networkOf('default', 'db-0')).toBeUndefined();
  });

  test('of a pod with ever new claims only the latest are kept, and those of other pods', () => {
    const volume = (pod: string, claim: string) => ({ namespace: 'default', pod, claim, at: T, usedBytes: 1, capacityBytes: 2 });
    const summary = (...volumes: ReturnType<typeof volume>[]) => model.onSummary({ node: 'n1', volumes, network: [], pressure: null });
    summary(volume('db-1', 'data-1'));
    for (let reading = 0; reading < 10; reading++) {
      summary(...Array.from({ length: 100 }, (_, index) => volume('db-0', `x${reading}-${index}`)), volume('db-0', 'data-0'));
    }
    const claims = [...model.volumes()].map(({ claim }) => claim);
    expect([claims.length, claims.includes('data-0'), claims.includes('data-1')]).toEqual([257, true, true]);
  });

  test('a pod can have only a few more containers than in its record: init and ephemeral ones', () => {
    read({ pod: 'db-0' }, ...Array.from({ length: 100 }, (_, index) => ({ pod: 'db-0', container: `x${index}` })));
    expect(model.containersOf('default', 'db-0').size).toBe(17);
    expect(metrics.total('evenkeel_usage_samples_dropped_total', { reason: 'unknown-container' })).toBe(84);
  });
});

describe('Times in the future', () => {
  test('a sample becomes current, so that the next one is not out of order', async () => {
    read({ pod: 'db-0', at: T + 59_000, cpuMillicores: 1 });
    expect(model.containersOf('default', 'db-0').get('app')?.at).toBe(T);
    await clock.advance(30_000);
    read({ pod: 'db-0', cpuMillicores: 2 });
    expect(model.containersOf('default', 'db-0').get('app')?.cpuMillicores).toBe(2);
  });

  test('as does the usage of a node', async () => {
    const node = (at: number, cpuMillicores: number) =>
      model.onUsage({ node: 'n1', containers: [], nodeUsage: { node: 'n1', at, cpuMillicores, memoryBytes: 1 } });
    node(T + 59_000, 1);
    await clock.advance(30_000);
    node(clock.now(), 2);
    expect(model.usedByNode('n1')).toMatchObject({ at: T + 30_000, cpuMillicores: 2 });
  });

  test('as do volumes and network, so that they expire like others', async () => {
    const ref = { namespace: 'default', pod: 'db-0', at: T + 1e12 };
    const volumes = [{ ...ref, claim: 'data', usedBytes: 1, capacityBytes: 2 }];
    model.onSummary({ node: 'n1', volumes, network: [{ ...ref, receiveBytes: 5 }], pressure: null });
    expect([[...model.volumes()][0]?.at, model.networkOf('default', 'db-0')?.at]).toEqual([T, T]);
    await clock.advance(25 * 3_600_000);
    model.onSummary({ node: 'n1', volumes: [], network: [], pressure: null });
    expect([...model.volumes()]).toEqual([]);
  });
});

describe('The clock of a node', () => {
  const BEHIND = 6 * 60_000;
  const isUnread = (name: string) => model.isUnread(state.findPod('default', name)!);

  /** Reads the node once a minute; its pods report times of an age. */
  async function readFor(minutes: number, ageOf: (pod: string) => number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      await clock.advance(60_000);
      read(...['db-0', 'db-1'].map((pod) => ({ pod, at: clock.now() - ageOf(pod) })));
    }
  }

  test('that is behind is corrected, so that no pod is unread, and the problem names the node and the remedy', async () => {
    await readFor(5, () => BEHIND);
    expect([isUnread('db-0'), used()]).toEqual([false, { cpuMillicores: 200, memoryBytes: 2_000 }]);
    expect(model.containersOf('default', 'db-0').get('app')).toMatchObject({ at: clock.now(), clockOffsetMs: BEHIND });
    expect(model.problem()).toBe(
      'the clock of n1 is 6m behind the controller’s, or the controller’s is ahead: its usage counts as of when it is read; synchronize the clock of the node (NTP, chrony)',
    );
    await readFor(2, () => 0);
    expect([isUnread('db-0'), model.problem()]).toEqual([false, null]);
  });

  test('that is ahead is corrected as well', async () => {
    await readFor(5, () => -BEHIND);
    expect([isUnread('db-0'), model.isNodeStale('n1')]).toEqual([false, false]);
    expect(model.problem()).toContain('the clock of n1 is 6m ahead of the controller’s');
  });

  test('is not corrected if a kubelet repeats old usage: its pods become and stay unread', async () => {
    await readFor(3, () => 0);
    const frozen = clock.now();
    await readFor(4, () => clock.now() - frozen);
    expect(isUnread('db-0')).toBe(true);
    await readFor(120, () => clock.now() - frozen);
    expect([isUnread('db-0'), used().memoryBytes]).toEqual([true, null]);
    expect(model.problem()).toBe(
      'the newest usage that n1 reports is more than 2m old: its kubelet has stopped measuring, or its clock is behind; restart the kubelet, or synchronize the clock of the node (NTP, chrony)',
    );
  });

  test('that is behind does not make repeated usage current, of all pods or of one', async () => {
    await readFor(5, () => BEHIND);
    const frozen = clock.now();
    const age = () => BEHIND + clock.now() - frozen;
    await readFor(60, (pod) => (pod === 'db-0' ? age() : BEHIND));
    expect([isUnread('db-0'), isUnread('db-1')]).toEqual([true, false]);
    await readFor(60, age);
    expect([isUnread('db-0'), isUnread('db-1')]).toEqual([true, true]);
  });

  test('that is set back does not make earlier repeated usage current', async () => {
    await readFor(3, () => 0);
    const frozen = clock.now();
    await readFor(4, (pod) => (pod === 'db-0' ? clock.now() - frozen : 0));
    const accepted: string[] = [];
    model.onSample((_, __, pod) => accepted.push(pod.name));
    await readFor(10, (pod) => (pod === 'db-0' ? clock.now() - frozen : BEHIND));
    expect([new Set(accepted), isUnread('db-0'), isUnread('db-1')]).toEqual([new Set(['db-1']), true, false]);
  });

  test('changes the times of its own pods only', async () => {
    state.apply({ kind: 'node', key: 'n2', record: aNodeRecord({ name: 'n2' }) });
    putPod(aPodRecord({ name: 'db-2', node: 'n2', owner: ownedBy(db) }));
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(60_000);
      read(...['db-0', 'db-1', 'db-2'].map((pod) => ({ pod, at: clock.now() - BEHIND })));
    }
    expect([model.containersOf('default', 'db-2').size, isUnread('db-2')]).toEqual([0, true]);
  });

  test('that is hours behind does not hide a replica from the recommender', async () => {
    state.apply({ kind: 'node', key: 'n2', record: aNodeRecord({ name: 'n2' }) });
    putPod(aPodRecord({ name: 'db-2', node: 'n2', owner: ownedBy(db) }));
    const learned = new ContainerModel();
    model.onSample((_, __, pod, sample) => learned.observe(pod.name, sample));
    for (let minute = 0; minute < 24 * 60; minute++) {
      await clock.advance(60_000);
      const usage = { namespace: 'default', pod: 'db-2', container: 'app', at: clock.now() - 3 * 3_600_000 };
      model.onUsage({ node: 'n2', nodeUsage: null, containers: [{ ...usage, cpuMillicores: 2_000, memoryBytes: 2 ** 30 }] });
      read({ pod: 'db-0', cpuMillicores: 100, memoryBytes: 2 ** 27 });
      learned.advise('app', clock.now(), DEFAULT_RECOMMENDER_RULES);
    }
    const advice = learned.advise('app', clock.now(), DEFAULT_RECOMMENDER_RULES);
    expect(advice?.cpu?.target).toBeGreaterThanOrEqual(2_000);
    expect(advice?.memory?.target).toBeGreaterThanOrEqual(2 ** 30);
    expect(advice?.isUsageLeftOut).toBe(false);
  });
});

describe('OOM kills', () => {
  const killed = (finishedAt: number, restarts: number): PodRecord =>
    aPodRecord({
      name: 'db-0',
      node: 'n1',
      owner: ownedBy(db),
      containers: [
        aContainerRecord({
          restarts,
          limits: { cpuMillicores: null, memoryBytes: 300 },
          actual: { requests: { cpuMillicores: null, memoryBytes: null }, limits: { cpuMillicores: null, memoryBytes: 256 } },
          lastTermination: { reason: 'OOMKilled', exitCode: 137, finishedAt },
        }),
      ],
    });

  test('are reported once each, with the limit in force', () => {
    const kills: unknown[] = [];
    model.onOomKill((kill) => kills.push([kill.workload, kill.container, kill.at, kill.memoryLimitBytes]));
    putPod(killed(T - 5, 1));
    putPod({ ...killed(T - 5, 1), resourceVersion: '2' });
    putPod(killed(T, 2));
    expect(kills).toEqual([
      [workloadKey(db), 'app', T - 5, 256],
      [workloadKey(db), 'app', T, 256],
    ]);
  });

  test('of current statuses are reported to a new listener', () => {
    putPod(killed(T - 5, 1));
    const kills: number[] = [];
    model.onOomKill((kill) => kills.push(kill.at));
    putPod({ ...killed(T - 5, 1), resourceVersion: '2' });
    expect(kills).toEqual([T - 5]);
  });

  test('do not include other terminations', () => {
    const kills: unknown[] = [];
    model.onOomKill((kill) => kills.push(kill));
    putPod(
      aPodRecord({
        name: 'db-0',
        owner: ownedBy(db),
        containers: [aContainerRecord({ lastTermination: { reason: 'Error', exitCode: 1, finishedAt: T } })],
      }),
    );
    expect(kills).toEqual([]);
  });
});

describe('UsageRing', () => {
  test('holds the last 24 hours in any order of arrival, and nothing older', () => {
    const samples = fc.array(fc.record({ slot: fc.integer({ min: 0, max: 700 }), cpu: fc.integer({ min: 1, max: 4_000 }) }), {
      minLength: 1,
      maxLength: 100,
    });
    fc.assert(
      fc.property(samples, (given) => {
        const ring = new UsageRing();
        const highest = new Map<number, number>();
        const first = Math.floor(T / SLOT_MS);
        let newest = -Infinity;
        for (const { slot, cpu } of given) {
          ring.add('a', { at: (first + slot) * SLOT_MS, cpuMillicores: cpu, memoryBytes: null });
          if (slot > newest - 288) highest.set(slot, Math.max(highest.get(slot) ?? 0, cpu));
          newest = Math.max(newest, slot);
        }
        const day = [...highest].filter(([slot]) => slot > newest - 288).sort(([a], [b]) => a - b);
        const slots = ring.slots(0, (first + newest + 1) * SLOT_MS);
        expect(slots.map(({ at, cpuMaxMillicores }) => [at / SLOT_MS - first, cpuMaxMillicores])).toEqual(day);
      }),
    );
  });

  test('a slot is the mean per replica times the replicas', () => {
    const samples = fc.array(
      fc.record({ gap: fc.integer({ min: 1, max: 20 }), pod: fc.constantFrom('a', 'b', 'c'), cpu: fc.integer({ min: 0, max: 4_000 }) }),
      { minLength: 1, maxLength: 200 },
    );
    fc.assert(
      fc.property(samples, (given) => {
        const ring = new UsageRing();
        const bySlot = new Map<number, { cpus: number[]; pods: Set<string> }>();
        let at = T;
        for (const { gap, pod, cpu } of given) {
          at += gap * 60_000;
          ring.add(pod, { at, cpuMillicores: cpu, memoryBytes: null });
          const begin = Math.floor(at / SLOT_MS) * SLOT_MS;
          const slot = bySlot.get(begin) ?? { cpus: [], pods: new Set() };
          slot.cpus.push(cpu);
          slot.pods.add(pod);
          bySlot.set(begin, slot);
        }
        const day = [...bySlot].filter(([begin]) => begin > at - 24 * 3_600_000);
        const slots = ring.slots(at - 24 * 3_600_000, at + 1);
        expect(slots.map((slot) => slot.at)).toEqual(day.map(([begin]) => begin));
        slots.forEach((slot, index) => {
          const [, truth] = day[index] ?? [];
          const mean = (truth?.cpus ?? []).reduce((sum, cpu) => sum + cpu, 0) / (truth?.cpus.length ?? 1);
          expect(slot.cpuMillicores).toBeCloseTo(mean * (truth?.pods.size ?? 0), 0);
          expect(slot.memoryBytes).toBeNull();
        });
      }),
    );
  });
});
