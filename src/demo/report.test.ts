import { expect, test } from '@jest/globals';
import { GiB } from '#kube/units';
import { beforeAndNow, progressLine, type Reading } from './report.ts';

const AT = Date.UTC(2026, 10, 27, 3, 20, 59);

function reading(cpuMillicores: number, gib: number, perMonthUsd: number): Reading {
  return {
    summary: {
      requestedCpuMillicores: cpuMillicores,
      requestedMemoryBytes: gib * GiB,
      usedCpuMillicores: 1980,
      usedMemoryBytes: 12 * GiB,
      costPerMonthUsd: 718.89,
      nodes: 6,
    },
    money: { requestedPerMonthUsd: perMonthUsd, unusedPerMonthUsd: perMonthUsd / 2 },
  };
}

test('a progress line has the cluster’s time, and the cost of requests as a share of that of the nodes', () => {
  const before = reading(17_300, 33.5, 425);
  expect(progressLine(AT, before, reading(6640, 33.6, 170.25), 29)).toBe(
    '2026-11-27 03:20 UTC  29 resizes · requested 6.64 cores (−62 %), 33.6 GiB: $170.25 of the nodes’ $718.89 per month',
  );
  expect(progressLine(AT, before, reading(20_000, 40, 500), 1)).toContain('1 resize · requested 20.00 cores (+16 %), 40.0 GiB (+19 %)');
});

test('the table at the end has the same amounts before and now', () => {
  expect(beforeAndNow(reading(17_300, 33.5, 425), reading(6640, 18.3, 170.25))).toEqual([
    '                      before                now',
    '  requested CPU       17.30 cores           6.64 cores',
    '  used CPU            1.98 cores            1.98 cores',
    '  requested memory    33.5 GiB              18.3 GiB',
    '  used memory         12.0 GiB              12.0 GiB',
    '  nodes cost          $718.89 per month     $718.89 per month',
    '  requests’ share     $425.00 per month     $170.25 per month',
    '  of it unused        $212.50 per month     $85.13 per month',
  ]);
});
