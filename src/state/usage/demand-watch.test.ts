import { beforeEach, expect, test } from '@jest/globals';
import { amounts, aPodRecord, aWorkloadRecord, memory, T0 } from '../../../test/builders/rightsizing.ts';
import { FakeClusterReader } from '../../../test/fakes/fake-cluster-reader.ts';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { DemandWatch } from './demand-watch.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { SampleListener } from './usage-model.ts';

const WEB = 'shop/Deployment/web';
let cluster: FakeClusterReader;
let notify: (workload: WorkloadKey, container: string, pod: string, sample: UsageSample) => void;
let pressed: string[];
let watch: DemandWatch;

beforeEach(() => {
  cluster = new FakeClusterReader();
  const container = { requests: amounts('100m', '128Mi'), limits: amounts('200m', '256Mi') };
  cluster.podList = ['web-1', 'web-2', 'web-3'].map((name) => aPodRecord({ name, container }));
  cluster.workloadList = [aWorkloadRecord()];
  pressed = [];
  watch = new DemandWatch({
    cluster,
    usage: {
      onSample: (listener: SampleListener) => {
        notify = (workload, container, pod, taken) => {
          const record = cluster.findPod('shop', pod);
          if (record !== undefined) listener(workload, container, record, taken);
        };
        return () => undefined;
      },
    },
    onPressure: (workload) => void pressed.push(workload),
  });
});

const sample = (at: number, memoryText: string, cpuMillicores = 50): UsageSample => ({
  at,
  cpuMillicores,
  memoryBytes: memory(memoryText),
});

test('a window has the highest memory of any replica, the 90th percentile of CPU, and the throttled share', () => {
  notify(WEB, 'main', 'web-1', { ...sample(T0, '100Mi', 10), throttledRatio: 0.2 });
  notify(WEB, 'main', 'web-1', { ...sample(T0 + 30 * SECOND_MS, '90Mi', 30), throttledRatio: 0.4 });
  notify(WEB, 'main', 'web-2', { ...sample(T0 + 10 * SECOND_MS, '120Mi', 60), throttledRatio: 0.1 });
  notify(WEB, 'main', 'web-1', sample(T0 + MINUTE_MS, '80Mi'));
  const [demand] = watch.of(WEB);
  expect(demand?.container).toBe('main');
  expect(demand?.windows).toHaveLength(2);
  expect(demand?.windows[0]).toMatchObject({ at: T0, memoryBytes: memory('120Mi'), cpuMillicores: 60 });
  expect(demand?.windows[0]?.throttledRatio).toBeCloseTo(0.2);
  expect(demand?.windows[1]).toMatchObject({ memoryBytes: memory('80Mi'), throttledRatio: null });
});

test('stores only the last minutes, and drops late samples', () => {
  for (let minute = 0; minute < 60; minute += 1) notify(WEB, 'main', 'web-1', sample(T0 + minute * MINUTE_MS, '100Mi'));
  notify(WEB, 'main', 'web-2', sample(T0, '250Mi'));
  const windows = watch.of(WEB)[0]?.windows ?? [];
  expect(windows.length).toBeLessThanOrEqual(14);
  expect(Math.max(...windows.map(({ memoryBytes }) => memoryBytes ?? 0))).toBe(memory('100Mi'));
});

test('a replica whose times lag, because its node’s clock is behind, counts in the open window', () => {
  notify(WEB, 'main', 'web-1', sample(T0, '100Mi', 10));
  notify(WEB, 'main', 'web-2', sample(T0 - 4 * MINUTE_MS, '200Mi', 90));
  expect(watch.of(WEB)[0]?.windows).toMatchObject([{ at: T0, memoryBytes: memory('200Mi'), cpuMillicores: 90 }]);
});

test('excludes the start-up of a container', () => {
  cluster.podList = cluster.podList.map((pod) => ({
    ...pod,
    readySince: T0,
    containers: pod.containers.map((container) => ({ ...container, startedAt: T0 })),
  }));
  notify(WEB, 'main', 'web-1', sample(T0 + MINUTE_MS, '255Mi'));
  expect([watch.of(WEB), pressed]).toEqual([[], []]);
});

test('reports memory that rises near its limit, at most once a minute, and neither constant memory nor CPU', () => {
  notify(WEB, 'main', 'web-1', sample(T0, '200Mi', 200));
  expect(pressed).toEqual([]);
  notify(WEB, 'main', 'web-1', sample(T0 + MINUTE_MS, '240Mi'));
  notify(WEB, 'main', 'web-2', sample(T0 + MINUTE_MS + SECOND_MS, '245Mi'));
  expect(pressed).toEqual([WEB]);
  notify(WEB, 'main', 'web-1', sample(T0 + 2 * MINUTE_MS, '245Mi'));
  expect(pressed).toHaveLength(2);
  for (let minute = 3; minute < 11; minute += 1) notify(WEB, 'main', 'web-1', sample(T0 + minute * MINUTE_MS, '245Mi'));
  expect(pressed).toHaveLength(2);
});

test('deletes the demand of a deleted workload', () => {
  notify(WEB, 'main', 'web-1', sample(T0, '200Mi'));
  expect(watch.of(WEB)).toHaveLength(1);
  cluster.workloadList = [];
  cluster.announce({ kind: 'workload', key: WEB });
  expect(watch.of(WEB)).toEqual([]);
});

test('ignores pods without a workload, and of a deleted workload', () => {
  notify('shop/Pod/web-1', 'main', 'web-1', sample(T0, '100Mi'));
  expect(watch.of('shop/Pod/web-1')).toEqual([]);
  notify(WEB, 'main', 'web-1', sample(T0, '100Mi'));
  cluster.workloadList = [];
  cluster.announce({ kind: 'workload', key: WEB });
  notify(WEB, 'main', 'web-1', sample(T0 + MINUTE_MS, '100Mi'));
  expect(watch.of(WEB)).toEqual([]);
});
