import { describe, expect, test } from '@jest/globals';
import { joinScores, score } from './score.ts';

const MIB = 1024 * 1024;

describe('the score of requests', () => {
  test('slack, spare, overrun, unserved and J come from usage and request, slot by slot', () => {
    const scored = score(Float64Array.of(50, 100, 150, 100), Float64Array.of(100, 100, 100, 200), 0, 'cpu');
    expect(scored).toMatchObject({ slots: 4, slack: (0.5 + 0 + 0 + 0.5) / 4, spare: 150, used: 400, overrun: 0.25, unserved: 50 });
    expect(scored?.costJ).toBeCloseTo((150 + 19 * 50) / 400, 12);
  });

  test('overruns in a row are one episode, and a hole does not part them', () => {
    const values = Float64Array.of(2, 2, NaN, 2, 1, 2);
    expect(score(values, new Float64Array(6).fill(1), 0, 'cpu')).toMatchObject({ slots: 5, episodes: 2 });
  });

  test('a request that moves by no more than 1 % has not changed', () => {
    const requests = Float64Array.of(100, 101, 103, 103, 90);
    expect(score(new Float64Array(5).fill(1), requests, 0, 'cpu')).toMatchObject({ changes: 2 });
  });

  test('what moves at the moment that scoring begins was decided in the warm-up: no change', () => {
    expect(score(new Float64Array(4).fill(1), Float64Array.of(50, 50, 100, 90), 2, 'cpu')).toMatchObject({ changes: 1 });
  });

  test('neither the warm-up counts, nor what has no request or no usage; the first request is no change', () => {
    const values = Float64Array.of(9, 9, 9, NaN, 1);
    const requests = Float64Array.of(1, 1, NaN, 2, 2);
    expect(score(values, requests, 2, 'cpu')).toMatchObject({ slots: 1, overrun: 0, changes: 0, slack: 0.5 });
    expect(score(values, requests, 5, 'cpu')).toBeNull();
  });

  test('J of what hardly uses anything is reckoned on 25m or 250 MiB, and a missing byte costs 99 spare ones', () => {
    expect(score(Float64Array.of(1), Float64Array.of(11), 0, 'cpu')?.costJ).toBeCloseTo(10 / 25, 12);
    expect(score(Float64Array.of(2 * MIB), Float64Array.of(1 * MIB), 0, 'memory')?.costJ).toBeCloseTo(99 / 250, 9);
  });

  test('joined: means over workloads, shares of all that was used, and the 90th percentile between two workloads', () => {
    const one = score(Float64Array.of(100, 100), Float64Array.of(200, 200), 0, 'cpu');
    const other = score(Float64Array.of(1000, 1000), Float64Array.of(500, 2000), 0, 'cpu');
    if (one === null || other === null) throw new Error('both can be scored');
    expect(joinScores([one, other].map((each) => ({ ...each, refusedOverrun: 0.1 })))).toMatchObject({
      slack: (0.5 + 0.25) / 2,
      sparePerUsed: 1200 / 2200,
      unserved: 500 / 2200,
      overrun: 0.25,
      worstDecileOverrun: 0.45,
    });
  });
});
