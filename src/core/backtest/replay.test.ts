import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GOALS } from '../recommender/recommender-rules.ts';
import { evenkeelPolicy, type EvenkeelSetting } from './evenkeel-policy.ts';
import { clairvoyantRequests, krrPolicy, vpaPolicy } from './peer-policies.ts';
import { replay, type RequestPolicy } from './replay.ts';
import { requestChanges } from './request-changes.ts';
import { RESOURCES, type Resource, SLOTS_PER_DAY, traceOf } from './time-grid.ts';

const MIB = 1024 * 1024;

/** Samples with a daily wave, bursts, level shifts and gaps, of any step and start. */
const recordings = fc
  .record({
    step: fc.constantFrom(60, 300, 420),
    start: fc.constantFrom(0, 1_700_000_000, 1_722_467_123),
    hours: fc.integer({ min: 27, max: 44 }),
    level: fc.integer({ min: 1, max: 4000 }),
    shiftAt: fc.double({ min: 0, max: 1, noNaN: true }),
    bursts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
    holes: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
    noise: fc.array(fc.double({ min: 0.5, max: 1.5, noNaN: true }), { minLength: 7, maxLength: 40 }),
  })
  .map(({ step, start, hours, level, shiftAt, bursts, holes, noise }) => {
    const seconds: number[] = [];
    const cpuMillicores: number[] = [];
    const memoryBytes: number[] = [];
    const rows = Math.floor((hours * 3600) / step);
    for (let row = 0; row < rows; row++) {
      const place = row / rows;
      if (holes.some((hole) => Math.abs(hole - place) < 0.02)) continue;
      const wave = 1.2 + Math.sin((row * step * 2 * Math.PI) / 86_400);
      const burst = bursts.some((at) => Math.abs(at - place) < 0.01) ? 5 : 1;
      const value = level * wave * burst * (noise[row % noise.length] ?? 1) * (place > shiftAt ? 2 : 1);
      seconds.push(start + row * step);
      cpuMillicores.push(value);
      memoryBytes.push(value * MIB);
    }
    return { seconds, cpuMillicores, memoryBytes };
  });

const settings: EvenkeelSetting[] = GOALS.flatMap((goal) => (['Daily', 'Hourly'] as const).map((pace) => ({ goal, pace })));
const cases = settings.flatMap((setting) => RESOURCES.map((resource) => ({ ...setting, resource })));

/** Request changes for one resource of a recording. */
function changesOf(recording: ReturnType<typeof take>, resource: Resource, policy: RequestPolicy) {
  const trace = traceOf('t', recording);
  const requests = trace[resource] === null ? undefined : replay(trace[resource], trace.firstSlot, policy);
  return resource === 'cpu' ? requestChanges(trace.firstSlot, requests, undefined) : requestChanges(trace.firstSlot, undefined, requests);
}

function take(recording: { seconds: number[]; cpuMillicores: number[]; memoryBytes: number[] }, rows: number) {
  return {
    seconds: recording.seconds.slice(0, rows),
    cpuMillicores: recording.cpuMillicores.slice(0, rows),
    memoryBytes: recording.memoryBytes.slice(0, rows),
  };
}

describe('no look-ahead', () => {
  test.each(cases)('truncating the recording does not change earlier requests: $goal, $pace, $resource', ({ resource, ...setting }) => {
    fc.assert(
      fc.property(recordings, fc.double({ min: 0.3, max: 0.99, noNaN: true }), (recording, share) => {
        const rows = Math.max(1, Math.floor(recording.seconds.length * share));
        const cut = recording.seconds[rows - 1] ?? 0;
        const full = changesOf(recording, resource, evenkeelPolicy(resource, setting));
        const part = changesOf(take(recording, rows), resource, evenkeelPolicy(resource, setting));
        expect(part).toEqual(full.filter(({ second }) => second <= cut));
      }),
      { numRuns: 3 },
    );
  });

  test.each(RESOURCES)('nor those of the other methods: %s', (resource) => {
    fc.assert(
      fc.property(recordings, fc.double({ min: 0.3, max: 0.99, noNaN: true }), (recording, share) => {
        const rows = Math.max(1, Math.floor(recording.seconds.length * share));
        const cut = recording.seconds[rows - 1] ?? 0;
        for (const policy of [vpaPolicy, krrPolicy]) {
          const full = changesOf(recording, resource, policy(resource));
          const part = changesOf(take(recording, rows), resource, policy(resource));
          expect(part).toEqual(full.filter(({ second }) => second <= cut));
        }
      }),
      { numRuns: 3 },
    );
  });

  test('the test detects look-ahead', () => {
    const peeking = (values: Float64Array): RequestPolicy => ({
      observe: () => undefined,
      decide: (slot) => values[slot + 3] ?? null,
      react: () => null,
    });
    const values = Float64Array.from({ length: 100 }, (_, slot) => slot);
    const full = replay(values, 0, peeking(values));
    const part = replay(values.slice(0, 50), 0, peeking(values.slice(0, 50)));
    expect(part).not.toEqual(full.slice(0, 50));
  });
});

describe('a replay', () => {
  const fixed = (requests: readonly number[], raised: number | null = null): RequestPolicy => ({
    observe: () => undefined,
    decide: (slot) => requests[slot / 12] ?? null,
    react: (_, isOver) => (isOver ? raised : null),
  });

  test('decides at full hours, and a decision applies from that slot on', () => {
    const requests = replay(new Float64Array(30).fill(1), 6, fixed([NaN, 10, 20, 30]));
    expect([...requests.slice(0, 6)].every(Number.isNaN)).toBe(true);
    expect([...requests.slice(6, 18)]).toEqual(Array(12).fill(10));
    expect([...requests.slice(18, 30)]).toEqual(Array(12).fill(20));
  });

  test('a slot above the request raises it from the next slot to the end of the hour', () => {
    const values = new Float64Array(24).fill(1);
    values[3] = 15;
    const requests = replay(values, 0, fixed([10, 10], 17));
    expect([...requests]).toEqual([10, 10, 10, 10, ...Array<number>(8).fill(17), ...Array<number>(12).fill(10)]);
  });

  test('the last slot of an hour raises nothing, because the next hour is decided', () => {
    const values = new Float64Array(24).fill(1);
    values[11] = 15;
    expect([...replay(values, 0, fixed([10, 10], 17))]).toEqual(Array(24).fill(10));
  });

  test('without usage the last decision applies', () => {
    const requests = replay(new Float64Array(36).fill(NaN), 0, fixed([10]));
    expect([...requests]).toEqual(Array(36).fill(10));
  });
});

describe('VPA on a replay', () => {
  test('a memory overrun is an OOM kill, which raises the request by a fifth; a CPU overrun is not', () => {
    const after = (resource: Resource, unit: number): number => {
      const values = new Float64Array(3 * SLOTS_PER_DAY).fill(1000 * unit);
      // Slightly above the request in two successive slots: one kill.
      values.fill(1250 * unit, 2 * SLOTS_PER_DAY + 14, 2 * SLOTS_PER_DAY + 16);
      return (replay(values, 0, vpaPolicy(resource)).at(-1) ?? NaN) / unit;
    };
    expect(after('memory', MIB)).toBeGreaterThan(1250 * 1.2);
    expect(after('cpu', 1)).toBeLessThan(1250);
  });
});

describe('the clairvoyant', () => {
  test('requests the peak of the day or of the hour', () => {
    const values = Float64Array.from({ length: 2 * SLOTS_PER_DAY }, (_, slot) => 100 + slot);
    const day = clairvoyantRequests(values, 0, 'cpu', { every: 'day', percentile: 1 });
    expect([day[0], day[287], day[288]]).toEqual([387, 387, 675]);
    const hour = clairvoyantRequests(values, 6, 'cpu', { every: 'hour', percentile: 1 });
    expect([hour[0], hour[5], hour[6]]).toEqual([105, 105, 117]);
  });

  test('requests at least its floor, and nothing without usage', () => {
    const values = new Float64Array(SLOTS_PER_DAY * 2).fill(1).fill(NaN, SLOTS_PER_DAY);
    const day = clairvoyantRequests(values, 0, 'cpu', { every: 'day', percentile: 0.99 });
    expect([day[0], day[SLOTS_PER_DAY]]).toEqual([10, NaN]);
  });
});
