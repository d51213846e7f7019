// The bench of fourteen days and sixty workloads in little: each sort of workload once, two days after a past of eight.
// The same rules; `make bench BENCH=fortnight` is the whole.

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { FortnightFigures } from '../bench/fortnight/ledger.ts';
import { newKills, shareFallen, type Runs } from '../bench/fortnight/rules.ts';
import { runFortnight } from '../bench/fortnight/run-fortnight.ts';
import { SORTS } from '../bench/fortnight/workloads.ts';

const OPTIONS = { seed: 2, workloads: SORTS.length, days: 2, pastDays: 8 };
const MAX_MS = 1_200_000;

describe('a cluster of every sort of workload, with the default settings in Auto', () => {
  let original: FortnightFigures;
  let evenkeel: FortnightFigures;
  let runs: Runs;

  beforeAll(async () => {
    original = await runFortnight('original', OPTIONS);
    evenkeel = await runFortnight('evenkeel', OPTIONS);
    runs = { original, evenkeel, vpa: original, 'vpa-in-place': original };
  }, MAX_MS);

  test('requests a third less CPU and memory than with the sizes of the manifests', () => {
    expect(shareFallen(runs, 'evenkeel', ({ requestedMean }) => requestedMean.cpuCores)).toBeGreaterThanOrEqual(0.35);
    expect(shareFallen(runs, 'evenkeel', ({ requestedMean }) => requestedMean.memoryGib)).toBeGreaterThanOrEqual(0.35);
  });

  test('has no more OOM kills, none where there were none, and no more time in which CPU is held back', () => {
    expect(original.oomKills).toBeGreaterThan(0);
    expect(original.throttledSeconds).toBeGreaterThan(0);
    expect(evenkeel.oomKills).toBeLessThanOrEqual(original.oomKills);
    expect(newKills(runs, 'evenkeel')).toBe(0);
    expect(evenkeel.throttledSeconds).toBeLessThanOrEqual(original.throttledSeconds);
  });

  test('evicts no pod and keeps no pod pending for longer', () => {
    expect(evenkeel.evictions).toBe(0);
    expect(evenkeel.resizes).toBeGreaterThan(0);
    expect(evenkeel.longestPendingSeconds).toBeLessThanOrEqual(original.longestPendingSeconds + 60);
  });
});
