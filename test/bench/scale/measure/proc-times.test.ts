import { expect, test } from '@jest/globals';
import { percentile } from './percentile.ts';
import { cpuTicksOf, runDelaySeconds, statusBytes } from './proc-times.ts';

test('a thread whose name has spaces and parentheses keeps its CPU time', () => {
  expect(cpuTicksOf('7 (a) b (c) S 1 7 7 0 -1 4194304 100 0 0 0 31 11 0 0 20 0 9')).toBe(42);
});

test('sizes and the time on a run queue are read by their units', () => {
  expect(statusBytes('VmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n', 'VmRSS')).toBe(2 ** 20);
  expect(statusBytes('Name:\tnode\n', 'VmRSS')).toBeNaN();
  expect(runDelaySeconds('5000000000 2500000000 17')).toBe(2.5);
});

test('a percentile is the smallest value that its share does not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([percentile(hundred, 0.5), percentile(hundred, 0.99), percentile([7], 0.99), percentile([], 0.5)]).toEqual([50, 99, 7, NaN]);
});
