import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../testing/manual-clock.ts';
import { ApiStatusError } from '../api/api-error.ts';
import { WorkList } from './work-list.ts';

function watched(handle: (key: string) => void = () => undefined): { clock: ManualClock; work: WorkList; seen: string[] } {
  const clock = new ManualClock();
  const seen: string[] = [];
  const work = new WorkList(clock, (key) => {
    seen.push(`${key}@${String((clock.now() - startedAt) / 1000)}`);
    handle(key);
  });
  const startedAt = clock.now();
  return { clock, work, seen };
}

describe('WorkList', () => {
  test('handles a key once, however often it was added, and never inside add', () => {
    const { clock, work, seen } = watched();
    for (const key of ['a', 'b', 'a']) work.add(key);
    expect(seen).toEqual([]);
    clock.settle();
    expect(seen).toEqual(['a@0', 'b@0']);
  });

  test('keeps the earliest of several requested times', () => {
    const { clock, work, seen } = watched();
    for (const seconds of [30, 10, 20]) work.addAt('a', clock.now() + seconds * 1000);
    clock.advance(60_000);
    expect(seen).toEqual(['a@10']);
  });

  test('retries a refused key with back-off until it succeeds', () => {
    let refusals = 3;
    const { clock, work, seen } = watched(() => {
      if (refusals-- > 0) throw new ApiStatusError(403, 'Forbidden', 'exceeded quota');
    });
    work.add('a');
    clock.advance(60_000);
    expect(seen).toEqual(['a@0', 'a@1', 'a@3', 'a@7']);
  });

  test('rethrows an unexpected error, and still handles the other keys', () => {
    const { clock, work, seen } = watched((key) => {
      if (key === 'bad') throw new TypeError('a mistake');
    });
    for (const key of ['bad', 'good']) work.add(key);
    expect(() => clock.settle()).toThrow('a mistake');
    clock.settle();
    expect(seen).toEqual(['bad@0', 'good@0']);
  });

  test('leaves nothing behind when it is stopped', () => {
    const { clock, work, seen } = watched();
    work.add('a');
    work.addAt('b', clock.now() + 1000);
    work.stop();
    clock.advance(10_000);
    expect(seen).toEqual([]);
  });
});
