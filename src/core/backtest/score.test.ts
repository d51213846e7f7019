import { describe, expect, test } from '@jest/globals';
import { joinScores, score } from './score.ts';

const MIB = 1024 * 1024;

describe('the score of requests', () => {
  test('slack, spare, overrun, unserved and J are sums over slots of usage and request', () => {
    const scored = score(Float64Array.of(50, 100, 150, 100), Float64Array.of(100, 100, 100, 200), 0, 'cpu');
    expect(scored).toMatchObject({ slots: 4, slack: (0.5 + 0 + 0 + 0.5) / 4, spare: 150, used: 400, overrun: 0.25, unserved: 50 });
    expect(scored?.costJ).toBeCloseTo((150 + 19 * 50) / 400, 12);
  });

  test('successive overruns are one episode, also across a gap', () => {
    const values = Float64Array.of(2, 2, NaN, 2, 1, 2);
    expect(score(values, new Float64Array(6).fill(1), 0, 'cpu')).toMatchObject({ slots: 5, episodes: 2 });
  });

  test('a difference of at most 1 % is no change', () => {
    const requests = Float64Array.of(100, 101, 103, 103, 90);
    expect(score(new Float64Array(5).fill(1), requests, 0, 'cpu')).toMatchObject({ changes: 2 });
  });

  test('a change in the first scored slot does not count, because it was decided in the warm-up', () => {
    expect(score(new Float64Array(4).fill(1), Float64Array.of(50, 50, 100, 90), 2, 'cpu')).toMatchObject({ changes: 1 });
  });

  test('the warm-up and slots without request or usage do not count; the first request is no change', () => {
    const values = Float64Array.of(9, 9, 9, NaN, 1);
    const requests = Float64Array.of(1, 1, NaN, 2, 2);
    expect(score(values, requests, 2, 'cpu')).toMatchObject({ slots: 1, overrun: 0, changes: 0, slack: 0.5 });
    expect(score(values, requests, 5, 'cpu')).toBeNull();
  });

  test('J of very low usage is relative to 25m or 250 MiB, and a missing byte costs 99 spare ones', () => {
    expect(score(Float64Array.of(1), Float64Array.of(11), 0, 'cpu')?.costJ).toBeCloseTo(10 / 25, 12);
    expect(score(Float64Array.of(2 * MIB), Float64Array.of(1 * MIB), 0, 'memory')?.costJ).toBeCloseTo(99 / 250, 9);
  });

  test('joined scores have means over workloads, shares of total usage, and an interpolated 90th percentile', () => {
    const one = score(Float64Array.of(100, 100), Float64Array.of(200, 200), 0, 'cpu');
    const other = score(Float64Array.of(1000, 1000), Float64Array.of(500, 2000), 0, 'cpu');
    if (one === null || other === null) throw new Error('both can be scored');
    expect(joinScores([one, other].map((scored) => ({ ...scored, refusedOverrun: 0.1 })))).toMatchObject({
      slack: (0.5 + 0.25) / 2,
      sparePerUsed: 1200 / 2200,
      unserved: 500 / 2200,
      overrun: 0.25,
      worstDecileOverrun: 0.45,
    });
  });
});
