import { describe, expect, test } from '@jest/globals';
import { MiB } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import { parseRecordedCsv } from './recorded-csv.ts';
import { traceOfRecording, traceOfReplicas } from './replica-trace.ts';

const SLOT_MS = 300_000;

function aReplica(pod: string, points: readonly (readonly [slot: number, cpu: number | null, memory: number | null])[]): UsageSeries {
  const samples = points.map(([slot, cpuMillicores, memoryBytes]) => ({ at: (slot + 1) * SLOT_MS, cpuMillicores, memoryBytes }));
  return { namespace: 'shop', pod, container: 'app', workload: null, stepSeconds: 300, samples, oomKills: [] };
}

test('the trace of replicas has the maximum of CPU and of memory', () => {
  const replicas = Array.from({ length: 10 }, (_, index) => aReplica(`p${index}`, [[100, (index + 1) * 10, index * 1000]]));
  const trace = traceOfReplicas('app', replicas);
  expect(trace).toMatchObject({ name: 'app', firstSlot: 100 });
  expect([...(trace?.cpu ?? [])]).toEqual([100]);
  expect([...(trace?.memory ?? [])]).toEqual([9000]);
});

test('the trace has the 90th percentile of CPU if the busiest replica changes from hour to hour', () => {
  const slots = Array.from({ length: 72 * 12 }, (_, slot) => slot);
  const replicas = Array.from({ length: 10 }, (_, pod) =>
    aReplica(
      `p${pod}`,
      slots.map((slot) => [slot, Math.floor(slot / 12) % 10 === pod ? 500 : 50, null]),
    ),
  );
  expect(traceOfReplicas('app', replicas)?.cpu?.at(-1)).toBe(50);
});

test('successive replicas are one trace, with a gap that is too long to fill', () => {
  const trace = traceOfReplicas('app', [aReplica('old', [[0, 1, 5]]), aReplica('new', [[5, 2, null]])]);
  expect([...(trace?.cpu ?? [])]).toEqual([1, 1, 1, 1, NaN, 2]);
  expect([...(trace?.memory ?? [])]).toEqual([5, 5, 5, 5, NaN, NaN]);
});

test('without usage there is no trace', () => {
  expect(traceOfReplicas('app', [aReplica('p', [])])).toBeNull();
});

describe('a recording as CSV', () => {
  const recorded = (csv: string) => {
    const parsed = parseRecordedCsv(csv);
    if (!parsed.ok) throw new Error(parsed.problem);
    return traceOfRecording('app', parsed);
  };

  test('with three replicas is one trace with the values of the busiest', () => {
    const rows = Array.from({ length: 48 }, (_, slot) => [`${slot * 300},a,100,10`, `${slot * 300},b,900,30`, `${slot * 300},c,120,20`]);
    const trace = recorded(['t_s,pod,cpu_m,mem_mib', ...rows.flat()].join('\n'));
    expect(trace).toMatchObject({ name: 'app', firstSlot: 0 });
    expect([new Set(trace.cpu), new Set(trace.memory)]).toEqual([new Set([900]), new Set([30 * MiB])]);
  });

  test('merges samples of a replica in a slot before it merges replicas', () => {
    expect(recorded('t_s,pod,cpu_m\n0,a,100\n60,a,300\n0,b,150\n').cpu).toEqual(Float64Array.of(200));
  });

  test('with one pod is the same as without the column pod', () => {
    const [named, plain] = ['t_s,pod,cpu_m\n0,a,1\n300,a,3\n', 't_s,cpu_m\n0,1\n300,3\n'].map(recorded);
    expect(named).toEqual(plain);
  });
});
