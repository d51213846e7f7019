import { expect, test } from '@jest/globals';
import { memoryProblem } from './memory-limit.ts';

test('as many pods as the heap holds are packed', () => {
  expect(memoryProblem('pods.csv', 1_000_000, 4e9)).toBeNull();
});

test('more pods are refused with what they need', () => {
  expect(memoryProblem('pods.csv', 5_000_000, 4e9)).toBe(
    'pods.csv: 5000000 pods need about 6.0 GB of heap, of which Node.js may use 4.0 GB; set NODE_OPTIONS=--max-old-space-size=6300',
  );
});
