import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS, GiB, HOUR_MS, MiB } from '#kube/units';
import type { MemoryEvidence } from '../../../recommender/advice.ts';
import { memoryLimitFloor, memoryLimitFor } from './memory-limit.ts';
import type { MemoryLimitInputs } from './memory-limit.ts';

const NOW = 100 * DAY_MS;

function evidence(change: Partial<MemoryEvidence> = {}): MemoryEvidence {
  const steady = 200 * MiB;
  return {
    historyMs: 14 * DAY_MS,
    peakEver: steady,
    peakEverAt: NOW - 5 * DAY_MS,
    peak24h: steady,
    peakHour: 190 * MiB,
    latest: 180 * MiB,
    worstRecordRatio: 1,
    typical: 180 * MiB,
    slopeBytesPerHour: 0,
    lastOomAt: null,
    minMemoryByKills: 0,
    leakSuspected: false,
    ...change,
  };
}

function inputs(change: Partial<MemoryLimitInputs> = {}): MemoryLimitInputs {
  return {
    now: NOW,
    current: 1 * GiB,
    request: 220 * MiB,
    ratio: 1.25,
    max: null,
    minLimitByKills: 0,
    evidence: evidence(),
    lastLoweredAt: null,
    ...change,
  };
}

describe('a memory limit', () => {
  test('falls by half of the difference to the smallest safe limit', () => {
    const decision = memoryLimitFor(inputs());
    expect(decision.kind).toBe('lower');
    const safe = memoryLimitFloor(evidence()) ?? 0;
    expect(decision.limit).toBeGreaterThanOrEqual(safe);
    expect(decision.limit).toBeCloseTo((1 * GiB + safe) / 2, -7);
  });

  test('rises with the request at once', () => {
    expect(memoryLimitFor(inputs({ current: 256 * MiB, request: 400 * MiB }))).toMatchObject({ kind: 'raise', limit: 500 * MiB });
  });

  // kubernetes/autoscaler#4150: page cache counts as usage and fills any limit, which is then raised again.
  test('does not follow memory that stays at its limit without an OOM kill', () => {
    const current = 1 * GiB;
    const atLimit = evidence({ typical: 0.98 * GiB, peakEver: GiB, latest: GiB });
    expect(memoryLimitFor(inputs({ current, request: 1.1 * GiB, evidence: atLimit }))).toMatchObject({ kind: 'keep', limit: current });
    const killed = { ...atLimit, lastOomAt: NOW - DAY_MS, minLimitByKills: 1.3 * GiB };
    expect(memoryLimitFor(inputs({ current, request: 1.1 * GiB, minLimitByKills: 1.3 * GiB, evidence: killed })).kind).toBe('raise');
    const fresh = { ...atLimit, typical: 0.6 * GiB };
    expect(memoryLimitFor(inputs({ current, request: 1.1 * GiB, evidence: fresh })).kind).toBe('raise');
  });

  test.each([
    ['memory was never measured', null],
    ['there is less than a week of history', evidence({ historyMs: 6 * DAY_MS })],
    ['it was not measured within the last hour', evidence({ peakHour: null })],
    ['its peaks vary', evidence({ typical: 100 * MiB })],
    ['a leak is suspected', evidence({ leakSuspected: true })],
    ['it was OOM-killed recently', evidence({ lastOomAt: NOW - DAY_MS })],
    ['it reached its highest peak today', evidence({ peakEverAt: NOW - HOUR_MS })],
    ['it never used a tenth of it', evidence({ peakEver: 50 * MiB, typical: 45 * MiB })],
    ['it has used nothing', evidence({ peakEver: 0, typical: 0 })],
  ])('is not lowered where %s', (_, given) => {
    expect(memoryLimitFor(inputs({ evidence: given }))).toMatchObject({ kind: 'keep', limit: 1 * GiB });
  });

  test('is lowered once a day at most', () => {
    expect(memoryLimitFor(inputs({ lastLoweredAt: NOW - HOUR_MS })).kind).toBe('keep');
    expect(memoryLimitFor(inputs({ lastLoweredAt: NOW - 2 * DAY_MS })).kind).toBe('lower');
  });

  const anyEvidence = fc
    .record({
      peakEver: fc.integer({ min: 0, max: 4096 }),
      typical: fc.integer({ min: 0, max: 4096 }),
      latest: fc.integer({ min: 0, max: 4096 }),
      worstRecordRatio: fc.double({ min: 1, max: 5, noNaN: true }),
      minLimitByKills: fc.integer({ min: 0, max: 8192 }),
      historyDays: fc.integer({ min: 0, max: 60 }),
    })
    .map((any) =>
      evidence({
        peakEver: Math.max(any.peakEver, any.typical, any.latest) * MiB,
        typical: any.typical * MiB,
        latest: any.latest * MiB,
        worstRecordRatio: any.worstRecordRatio,
        minMemoryByKills: any.minLimitByKills * MiB,
        historyMs: any.historyDays * DAY_MS,
      }),
    );
  const anyInputs = fc
    .record({
      current: fc.integer({ min: 1, max: 8192 }),
      request: fc.integer({ min: 1, max: 8192 }),
      ratio: fc.double({ min: 1, max: 3, noNaN: true }),
      given: anyEvidence,
    })
    .map(({ current, request, ratio, given }) => inputs({ current: current * MiB, request: request * MiB, ratio, evidence: given }));

  test('is never below its request, and never falls below 1.25 × the working set or the highest peak', () => {
    fc.assert(
      fc.property(anyInputs, (given) => {
        const decision = memoryLimitFor(given);
        if (decision.kind !== 'lower') return decision.kind === 'keep' ? decision.limit === given.current : decision.limit >= given.request;
        return (
          decision.limit >= given.request &&
          decision.limit >= 1.25 * (given.evidence?.latest ?? 0) &&
          decision.limit >= 1.25 * (given.evidence?.peakEver ?? 0)
        );
      }),
    );
  });

  test('has a floor that no higher peak lowers', () => {
    fc.assert(
      fc.property(anyEvidence, fc.integer({ min: 0, max: 2048 }), (given, more) => {
        const [low, high] = [memoryLimitFloor(given), memoryLimitFloor({ ...given, peakEver: given.peakEver + more * MiB })];
        return high === null || (low !== null && high >= low);
      }),
    );
  });
});
