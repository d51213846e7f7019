// The documented figures of Evenkeel, on recorded usage of real machines and the manifests of a real shop.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { demoToItsEnd, type DemoSummary } from './demo-process.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { ROOT, TestFixture } from './processes.ts';

const DATA = process.env['EVENKEEL_DATA'] ?? join(ROOT, '..', 'shared', 'data');
const MANIFESTS = join(DATA, 'manifests', 'online-boutique.yaml');
const USAGE = join(DATA, 'bitbrains-rnd', 'vm');

const suite = 'evenkeel demo --compare on recorded usage';
const missing = [MANIFESTS, USAGE].filter((path) => !existsSync(path));
if (missing.length === 0) describe(suite, tests);
else describe.skip(`${suite} (skipped: ${missing.join(' and ')} not there; set EVENKEEL_DATA to the folder of recorded data)`, tests);

function tests(): void {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  test(
    'requests fall by a third of CPU and a quarter of memory in three weeks, without more OOM kills or throttling',
    async () => {
      const args = ['--manifests', MANIFESTS, '--usage', USAGE, '--speed', 'max', '--for', '21d', '--compare'];
      const summaries = (await demoToItsEnd(fixture, args)) as { readonly without: DemoSummary; readonly with: DemoSummary };

      expect(Object.keys(summaries)).toEqual(['without', 'with']);
      const names = [
        'virtualSeconds',
        'wallSeconds',
        'start',
        'end',
        'oomKills',
        'throttledRatio',
        'resizes',
        'evictions',
        'unmetCpuRatio',
      ];
      const sums = ['requestedCpuMillicores', 'requestedMemoryBytes', 'usedCpuMillicores', 'usedMemoryBytes', 'costPerMonthUsd', 'nodes'];
      for (const run of [summaries.without, summaries.with]) {
        expect(Object.keys(run)).toEqual(names);
        expect(Object.keys(run.start)).toEqual(sums);
        expect(Object.keys(run.end)).toEqual(sums);
        expect(run.virtualSeconds).toBe(21 * 24 * 3600);
      }
      const { without, with: controlled } = summaries;
      expect(controlled.start).toEqual(without.start);
      expect(without.end.requestedCpuMillicores).toBe(without.start.requestedCpuMillicores);
      expect(controlled.end.requestedCpuMillicores).toBeLessThanOrEqual((controlled.start.requestedCpuMillicores * 2) / 3);
      expect(controlled.end.requestedMemoryBytes).toBeLessThanOrEqual((controlled.start.requestedMemoryBytes * 3) / 4);
      expect(controlled.throttledRatio).toBeLessThanOrEqual(without.throttledRatio);
      expect(controlled.oomKills).toBeLessThanOrEqual(without.oomKills + 1);
      expect(controlled.evictions).toBe(0);
      expect(controlled.resizes).toBeGreaterThan(0);
    },
    HANG_TEST_MS,
  );
}
