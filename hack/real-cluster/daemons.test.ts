import { expect, test } from '@jest/globals';
import { startTicksIn } from './daemons.ts';

function statOf(state: string, threads: number): string {
  return `27140 (a (name) of 2) ${state} 27077 27077 32674 0 -1 4227084 2955 6503 1 0 4 1 2 4 20 0 ${threads} 0 3189120 0 0`;
}

test.each([
  ['runs', 'S', 12, '3189120'],
  ['was killed, and still has threads: it holds its ports', 'Z', 2, '3189120'],
  ['only waits to be reaped', 'Z', 1, null],
])('a process that %s', (_what, state, threads, startTicks) => {
  expect(startTicksIn(statOf(state, threads))).toBe(startTicks);
});
