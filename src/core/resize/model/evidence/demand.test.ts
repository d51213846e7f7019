import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { DemandLog, type DemandWindow } from './demand.ts';

interface Observed {
  readonly pod: string;
  readonly sample: UsageSample;
}

const START = 1_700_000_040_000;
const amount = fc.option(fc.integer({ min: 0, max: 1_000 }));

/** Samples of up to 40 replicas, which come and go, in order of time. */
const observed = fc
  .array(
    fc.record({
      pod: fc.nat({ max: 39 }).map((number) => `api-${number}`),
      afterSeconds: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 5 }) }, { weight: 1, arbitrary: fc.nat({ max: 400 }) }),
      cpuMillicores: amount,
      memoryBytes: amount,
      memoryRssBytes: amount,
      throttledRatio: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    }),
    { maxLength: 300 },
  )
  .map((steps) => {
    let at = START;
    return steps.flatMap(({ pod, afterSeconds, ...values }): readonly Observed[] => {
      at += afterSeconds * SECOND_MS;
      return values.cpuMillicores === null && values.memoryBytes === null ? [] : [{ pod, sample: { at, ...values } }];
    });
  });

test('a window has the highest memory, the 90th percentile of mean CPU and the mean throttled share of the replicas', () => {
  fc.assert(
    fc.property(observed, (samples) => {
      const log = new DemandLog();
      const minutes = new Map<number, Observed[]>();
      for (const each of samples) {
        log.observe(each.pod, each.sample);
        const minute = Math.floor(each.sample.at / MINUTE_MS) * MINUTE_MS;
        minutes.set(minute, [...(minutes.get(minute) ?? []), each]);
        expect(log.windows()).toEqual([...minutes].slice(-13).map(([at, ofMinute]) => windowOf(at, ofMinute)));
      }
    }),
    { numRuns: 60 },
  );
});

test('memory of Prometheus samples counts by its peak', () => {
  const log = new DemandLog();
  log.observe('api-0', { at: START, cpuMillicores: null, memoryBytes: 5, memoryPeakBytes: 9 });
  expect(log.windows()[0]?.memoryBytes).toBe(9);
});

function windowOf(at: number, samples: readonly Observed[]): DemandWindow {
  const pods = [...new Set(samples.map(({ pod }) => pod))].map((name) =>
    samples.filter(({ pod }) => pod === name).map(({ sample }) => sample),
  );
  const cpus = pods.flatMap((of) => meanOf(of.map(({ cpuMillicores }) => cpuMillicores))).sort((a, b) => a - b);
  const memories = pods.flatMap((of) => highestOf(of.map(({ memoryBytes }) => memoryBytes)));
  const reported = pods.map((of) => highestOf(of.map(unreclaimableOf)));
  // A replica without RSS counts by its whole memory, where another one reports RSS.
  const unreclaimable = reported.flatMap((of, index) =>
    of.length > 0 ? of : highestOf((pods[index] ?? []).map(({ memoryBytes }) => memoryBytes)),
  );
  const throttled = pods.flatMap((of) => meanOf(of.map(({ throttledRatio }) => throttledRatio ?? null)));
  return {
    at,
    memoryBytes: highestOf(memories)[0] ?? null,
    unreclaimableBytes: reported.some((of) => of.length > 0) ? (highestOf(unreclaimable)[0] ?? null) : null,
    cpuMillicores: cpus[Math.ceil(cpus.length * 0.9) - 1] ?? null,
    throttledRatio: meanOf(throttled)[0] ?? null,
  };
}

function unreclaimableOf({ memoryBytes, memoryRssBytes }: UsageSample): number | null {
  return memoryBytes === null || memoryRssBytes === null || memoryRssBytes === undefined
    ? null
    : Math.min(memoryBytes, memoryRssBytes * 1.2);
}

function meanOf(values: readonly (number | null)[]): readonly number[] {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? [] : [known.reduce((sum, value) => sum + value, 0) / known.length];
}

function highestOf(values: readonly (number | null)[]): readonly number[] {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? [] : [Math.max(...known)];
}
