import { describe, expect, test } from '@jest/globals';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { IdleTracker } from './idle-tracker.ts';

const T0 = Date.parse('2026-11-20T12:00:00Z');
const THRESHOLDS = { idle: 5, wake: 10 };

/** A tracker with one sample per minute of one pod. */
function fed(samples: readonly number[], tracker = new IdleTracker(THRESHOLDS, T0), from = T0): IdleTracker {
  samples.forEach((cpu, index) => tracker.take('web-1', 'main', from + index * MINUTE_MS, cpu));
  return tracker;
}

describe('An idle period', () => {
  test.each<[string, readonly number[], number | null]>([
    ['begins with the first sample below the threshold', [1, 1, 1], T0],
    ['begins after the last sample above it', [1, 40, 1, 1], T0 + 2 * MINUTE_MS],
    ['ends at the first sample at the idle threshold, below the wake threshold', [1, 1, 5], null],
  ])('%s', (_, samples, since) => {
    expect(fed(samples).activity().belowThresholdSince).toBe(since);
  });

  test('counts all replicas and containers together', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.take('web-1', 'main', T0, 3);
    tracker.take('web-2', 'main', T0, 3);
    expect(tracker.activity()).toMatchObject({ belowThresholdSince: null, cpuMillicores: 6 });
    expect(tracker.take('web-2', 'sidecar', T0, 4)).toBe(true);
    expect(tracker.activity()).toMatchObject({ lastInUseAt: T0, maxCpuMillicores: 10 });
    expect([...tracker.activity().reported]).toEqual(['web-1', 'web-2']);
  });

  test('does not span a gap without samples', () => {
    const tracker = fed([1, 1]);
    tracker.take('web-1', 'main', T0 + HOUR_MS, 1);
    expect(tracker.activity().belowThresholdSince).toBe(T0 + HOUR_MS);
  });

  test('does not span a gap in the samples of one pod', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.take('web-2', 'main', T0, 1);
    fed(
      Array.from({ length: 30 }, () => 1),
      tracker,
    );
    tracker.take('web-2', 'main', T0 + 29 * MINUTE_MS, 1);
    expect(tracker.activity().belowThresholdSince).toBe(T0 + 29 * MINUTE_MS);
  });

  test('ignores the usage of deleted pods', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.take('gone', 'main', T0, 50);
    fed(
      Array.from({ length: 30 }, () => 1),
      tracker,
    );
    expect(tracker.activity()).toMatchObject({ cpuMillicores: 1, maxCpuMillicores: 51 });
    expect(tracker.activity().belowThresholdSince).not.toBeNull();
  });

  test('ends when other evidence shows use', () => {
    const tracker = fed([1, 1, 1]);
    tracker.interrupt();
    expect(tracker.activity().belowThresholdSince).toBeNull();
    tracker.take('web-1', 'main', T0 + 3 * MINUTE_MS, 1);
    expect(tracker.activity().belowThresholdSince).toBe(T0 + 3 * MINUTE_MS);
  });
});

describe('Usage recorded before a restart', () => {
  const past = (...cpu: readonly number[]) => cpu.map((cpuMillicores, index) => ({ at: T0 + index * 5 * MINUTE_MS, cpuMillicores }));

  test('joins the live samples', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.seed(past(80, 1, 1, 1));
    fed([1], tracker, T0 + 22 * MINUTE_MS);
    expect(tracker.activity()).toMatchObject({ belowThresholdSince: T0 + 5 * MINUTE_MS, maxCpuMillicores: 80 });
  });

  test('joins live samples that were added first', () => {
    const tracker = fed([1, 1], undefined, T0 + 22 * MINUTE_MS);
    tracker.seed(past(80, 1, 1, 1));
    expect(tracker.activity().belowThresholdSince).toBe(T0 + 5 * MINUTE_MS);
  });

  test.each<[string, readonly number[], number, number]>([
    ['shows use at its end', [1, 1, 80], 16, 1],
    ['ended too long ago', [1, 1, 1], 60, 1],
  ])('is ignored where it %s', (_, cpu, minutes, now) => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.seed(past(...cpu));
    const at = T0 + minutes * MINUTE_MS;
    fed([now], tracker, at);
    expect(tracker.activity().belowThresholdSince).toBe(at);
  });

  test('counts from the last gap in it', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.seed([...past(1, 1), ...past(1, 1).map(({ at, cpuMillicores }) => ({ at: at + HOUR_MS, cpuMillicores }))]);
    fed([1], tracker, T0 + HOUR_MS + 12 * MINUTE_MS);
    expect(tracker.activity().belowThresholdSince).toBe(T0 + HOUR_MS);
  });
});
