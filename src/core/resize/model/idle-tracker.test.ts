import { describe, expect, test } from '@jest/globals';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { IdleTracker } from './idle-tracker.ts';

const T0 = Date.parse('2026-11-20T12:00:00Z');
const THRESHOLDS = { idle: 5, wake: 10 };

/** One pod, a sample a minute. */
function fed(samples: readonly number[], tracker = new IdleTracker(THRESHOLDS, T0), from = T0): IdleTracker {
  samples.forEach((cpu, index) => tracker.take('web-1', 'main', from + index * MINUTE_MS, cpu));
  return tracker;
}

describe('A quiet spell', () => {
  test.each<[string, readonly number[], number | null]>([
    ['begins with the first sample under the threshold', [1, 1, 1], T0],
    ['begins after the last sample over it', [1, 40, 1, 1], T0 + 2 * MINUTE_MS],
    ['is over at the first sample that reaches the threshold, though it wakes nothing yet', [1, 1, 5], null],
  ])('%s', (_, samples, since) => {
    expect(fed(samples).activity().quietSince).toBe(since);
  });

  test('counts all replicas and containers together', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.take('web-1', 'main', T0, 3);
    tracker.take('web-2', 'main', T0, 3);
    expect(tracker.activity()).toMatchObject({ quietSince: null, cpuMillicores: 6 });
    expect(tracker.take('web-2', 'sidecar', T0, 4)).toBe(true);
    expect(tracker.activity()).toMatchObject({ inUseAt: T0, busiestMillicores: 10 });
    expect([...tracker.activity().reported]).toEqual(['web-1', 'web-2']);
  });

  test('does not reach over a time in which nothing was heard', () => {
    const tracker = fed([1, 1]);
    tracker.take('web-1', 'main', T0 + HOUR_MS, 1);
    expect(tracker.activity().quietSince).toBe(T0 + HOUR_MS);
  });

  test('does not reach over a time in which one of the pods was not heard', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.take('web-2', 'main', T0, 1);
    fed(
      Array.from({ length: 30 }, () => 1),
      tracker,
    );
    tracker.take('web-2', 'main', T0 + 29 * MINUTE_MS, 1);
    expect(tracker.activity().quietSince).toBe(T0 + 29 * MINUTE_MS);
  });

  test('forgets pods that are gone, and what they used', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.take('gone', 'main', T0, 50);
    fed(
      Array.from({ length: 30 }, () => 1),
      tracker,
    );
    expect(tracker.activity()).toMatchObject({ cpuMillicores: 1, busiestMillicores: 51 });
    expect(tracker.activity().quietSince).not.toBeNull();
  });

  test('ends when something else shows use', () => {
    const tracker = fed([1, 1, 1]);
    tracker.interrupt();
    expect(tracker.activity().quietSince).toBeNull();
    tracker.take('web-1', 'main', T0 + 3 * MINUTE_MS, 1);
    expect(tracker.activity().quietSince).toBe(T0 + 3 * MINUTE_MS);
  });
});

describe('What is known from before a restart', () => {
  const past = (...cpu: readonly number[]) => cpu.map((cpuMillicores, index) => ({ at: T0 + index * 5 * MINUTE_MS, cpuMillicores }));

  test('continues into what is seen now', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.seed(past(80, 1, 1, 1));
    fed([1], tracker, T0 + 22 * MINUTE_MS);
    expect(tracker.activity()).toMatchObject({ quietSince: T0 + 5 * MINUTE_MS, busiestMillicores: 80 });
  });

  test('the same where the samples came first', () => {
    const tracker = fed([1, 1], undefined, T0 + 22 * MINUTE_MS);
    tracker.seed(past(80, 1, 1, 1));
    expect(tracker.activity().quietSince).toBe(T0 + 5 * MINUTE_MS);
  });

  test.each<[string, readonly number[], number, number]>([
    ['was busy at its end', [1, 1, 80], 16, 1],
    ['ended too long ago', [1, 1, 1], 60, 1],
  ])('counts for nothing where it %s', (_, cpu, minutes, now) => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.seed(past(...cpu));
    const at = T0 + minutes * MINUTE_MS;
    fed([now], tracker, at);
    expect(tracker.activity().quietSince).toBe(at);
  });

  test('is broken by a hole in it', () => {
    const tracker = new IdleTracker(THRESHOLDS, T0);
    tracker.seed([...past(1, 1), ...past(1, 1).map(({ at, cpuMillicores }) => ({ at: at + HOUR_MS, cpuMillicores }))]);
    fed([1], tracker, T0 + HOUR_MS + 12 * MINUTE_MS);
    expect(tracker.activity().quietSince).toBe(T0 + HOUR_MS);
  });
});
