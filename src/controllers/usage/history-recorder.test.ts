import { expect, test } from '@jest/globals';
import { MINUTE_MS } from '#kube/units';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { ClusterPoint } from '../../ports/usage/usage-rollups.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { aNodeRecord, aPodRecord } from '../../../test/builders/records.ts';
import { HistoryRecorder } from './history-recorder.ts';

const PODS = 5_000;
const pod = aPodRecord({ name: 'web', phase: 'Running' });
const [container] = pod.containers;

function aRecorder() {
  const clock = new FakeClock();
  const points: ClusterPoint[] = [];
  const recorder = new HistoryRecorder({
    cluster: {
      nodes: () => [aNodeRecord({ name: 'n1' })],
      pods: () => Array.from({ length: PODS }, () => pod),
    } as Partial<ClusterReader> as ClusterReader,
    usage: {
      graphs: { onPoint: () => () => undefined } as never,
      usedByPod: () => [
        { cpuMillicores: 100, memoryBytes: 1_000 },
        { cpuMillicores: null, memoryBytes: 500 },
      ],
    },
    rollups: { appendUsage: () => undefined, appendCluster: (point: ClusterPoint) => void points.push(point) },
    clock,
    recommended: () => [
      { cpuMillicores: 50, memoryBytes: 700 },
      { cpuMillicores: 10, memoryBytes: 300 },
    ],
    costPerHourUsd: () => 0.5,
  });
  return { recorder, clock, points };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a point of the cluster is summed while other events are served', async () => {
  const { recorder, clock, points } = aRecorder();
  recorder.start();
  await clock.advance(5 * MINUTE_MS);
  expect(points).toEqual([]);
  await turns(PODS / 500 + 1);
  const requests = container?.requests ?? { cpuMillicores: 0, memoryBytes: 0 };
  expect(points).toEqual([
    expect.objectContaining({
      at: clock.now(),
      requestedCpuMillicores: (requests.cpuMillicores ?? 0) * PODS,
      usedCpuMillicores: 100,
      usedMemoryBytes: 1_500,
      recommendedCpuMillicores: 60,
      recommendedMemoryBytes: 1_000,
      costPerHourUsd: 0.5,
    }),
  ]);
  recorder.stop();
});

test('nothing is recorded after a stop', async () => {
  const { recorder, clock, points } = aRecorder();
  recorder.start();
  await clock.advance(5 * MINUTE_MS);
  recorder.stop();
  await turns(PODS / 500 + 1);
  expect(points).toEqual([]);
});
