import { expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { HeaderCache } from './header-cache.ts';

function aCache(answer: (count: number) => string) {
  const timer = new FakeClock(0);
  const asked: boolean[] = [];
  const cache = new HeaderCache(async ({ fresh = false } = {}) => {
    asked.push(fresh);
    return { authorization: answer(asked.length) };
  }, timer);
  return { cache, timer, asked };
}

test('headers are requested once in 30 s, also by concurrent requests', async () => {
  const { cache, timer, asked } = aCache((count) => `Bearer ${count}`);
  expect(await Promise.all([cache.get(), cache.get()])).toEqual([{ authorization: 'Bearer 1' }, { authorization: 'Bearer 1' }]);
  await timer.advance(29_000);
  expect(await cache.get()).toEqual({ authorization: 'Bearer 1' });
  await timer.advance(1_000);
  expect(await cache.get()).toEqual({ authorization: 'Bearer 2' });
  expect(asked).toEqual([false, false]);
});

test('headers that a kubelet rejected are requested again, and the new ones are reused', async () => {
  const { cache, asked } = aCache((count) => `Bearer ${count}`);
  await cache.get();
  expect(await cache.get({ fresh: true })).toEqual({ authorization: 'Bearer 2' });
  expect(await cache.get()).toEqual({ authorization: 'Bearer 2' });
  expect(asked).toEqual([false, true]);
});

test('a failed request is repeated at the next one', async () => {
  const { cache, asked } = aCache((count) => {
    if (count === 1) throw new Error('the API server does not answer');
    return `Bearer ${count}`;
  });
  await expect(cache.get()).rejects.toThrow('does not answer');
  expect(await cache.get()).toEqual({ authorization: 'Bearer 2' });
  expect(asked).toHaveLength(2);
});
