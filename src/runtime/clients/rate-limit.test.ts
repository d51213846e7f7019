import { beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { RateLimiter } from './rate-limit.ts';

let clock: ManualClock;
let limiter: RateLimiter;
beforeEach(() => {
  clock = new ManualClock(0);
  limiter = new RateLimiter({ perSecond: 10, burst: 20 }, clock);
});

const takeMany = (client: string, count: number): number => {
  let taken = 0;
  for (let request = 0; request < count; request += 1) if (limiter.take(client) === null) taken += 1;
  return taken;
};

describe('a rate limit', () => {
  test('admits the burst, then the rate', () => {
    expect([takeMany('a', 100), limiter.take('a')]).toEqual([20, 1]);
    clock.advance(1000);
    expect(takeMany('a', 100)).toBe(10);
    clock.advance(60_000);
    expect(takeMany('a', 100)).toBe(20);
  });

  test('counts each client by itself', () => {
    expect([takeMany('a', 100), takeMany('b', 100)]).toEqual([20, 20]);
  });

  test('does not count what is given back, and gives nothing beyond the burst', () => {
    for (let request = 0; request < 100; request += 1) {
      expect(limiter.take('a')).toBeNull();
      limiter.giveBack('a');
    }
    limiter.giveBack('a');
    expect(takeMany('a', 100)).toBe(20);
  });

  test('is not reset by requests from many other addresses', () => {
    takeMany('a', 100);
    for (let id = 0; id < 30_000; id += 1) limiter.take(`other ${id}`);
    expect(limiter.take('a')).toBe(1);
  });
});
