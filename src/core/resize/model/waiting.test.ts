import { expect, test } from '@jest/globals';
import { pickByRank, waiting } from './waiting.ts';

test('the wait with the lowest rank is reported', () => {
  expect(pickByRank([waiting('restart', 'b', 1), waiting('cooldown', 'a', 2)])).toEqual(waiting('cooldown', 'a', 2));
  expect(pickByRank([])).toBeNull();
});

test('of several with one reason, the first to end is reported with its own message', () => {
  const memory = waiting('cooldown', 'the memory request fell', 22);
  const cpu = waiting('cooldown', 'the CPU request fell', 1);
  expect(pickByRank([memory, cpu])).toBe(cpu);
  expect(pickByRank([waiting('cooldown', 'unknown'), memory])).toBe(memory);
});
