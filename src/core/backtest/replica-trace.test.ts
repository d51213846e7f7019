import { expect, test } from '@jest/globals';
import type { UsageSeries } from '../model/usage.ts';
import { traceOfReplicas } from './replica-trace.ts';

const SLOT_MS = 300_000;

function aReplica(pod: string, points: readonly (readonly [slot: number, cpu: number | null, memory: number | null])[]): UsageSeries {
  const samples = points.map(([slot, cpuMillicores, memoryBytes]) => ({ at: (slot + 1) * SLOT_MS, cpuMillicores, memoryBytes }));
  return { namespace: 'shop', pod, container: 'app', workload: null, stepSeconds: 300, samples, oomKills: [] };
}

test('replicas are one trace: what the highest uses of CPU and of memory', () => {
  const replicas = Array.from({ length: 10 }, (_, index) => aReplica(`p${index}`, [[100, (index + 1) * 10, index * 1000]]));
  const trace = traceOfReplicas('app', replicas);
  expect(trace).toMatchObject({ name: 'app', firstSlot: 100 });
  expect([...(trace?.cpu ?? [])]).toEqual([100]);
  expect([...(trace?.memory ?? [])]).toEqual([9000]);
});

test('where the highest changes from hour to hour, what nine of ten use of CPU', () => {
  const slots = Array.from({ length: 72 * 12 }, (_, slot) => slot);
  const replicas = Array.from({ length: 10 }, (_, pod) =>
    aReplica(
      `p${pod}`,
      slots.map((slot) => [slot, Math.floor(slot / 12) % 10 === pod ? 500 : 50, null]),
    ),
  );
  expect(traceOfReplicas('app', replicas)?.cpu?.at(-1)).toBe(50);
});

test('one after the other, with a hole too long to be carried', () => {
  const trace = traceOfReplicas('app', [aReplica('old', [[0, 1, 5]]), aReplica('new', [[5, 2, null]])]);
  expect([...(trace?.cpu ?? [])]).toEqual([1, 1, 1, 1, NaN, 2]);
  expect([...(trace?.memory ?? [])]).toEqual([5, 5, 5, 5, NaN, NaN]);
});

test('nothing known is no trace', () => {
  expect(traceOfReplicas('app', [aReplica('p', [])])).toBeNull();
});
