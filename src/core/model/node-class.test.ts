import { expect, test } from '@jest/globals';
import { nodeClass } from './node-class.ts';
import { GiB } from '#kube/units';

test.each([
  ['allocatable of 8 cores and 32 GiB', 7_910, 28.2, '8cpu-32Gi'],
  ['compute-optimized', 7_910, 13.4, '8cpu-16Gi'],
  ['memory-optimized', 3_920, 29, '4cpu-32Gi'],
  ['6 cores count as 8', 5_900, 22, '8cpu-32Gi'],
  ['smaller than the smallest class', 100, 0.2, '1cpu-2Gi'],
  ['larger than the largest class', 900_000, 9_000, '256cpu-2048Gi'],
])('%s', (_, cpuMillicores, gib, expected) => {
  expect(nodeClass({ cpuMillicores, memoryBytes: gib * GiB })).toBe(expected);
});

test('there are never more classes than a status can have', () => {
  const classes = new Set<string>();
  for (let cores = 0; cores <= 1_024; cores += 0.5) {
    for (let gib = 0; gib <= 4_096; gib += 16) classes.add(nodeClass({ cpuMillicores: cores * 1000, memoryBytes: gib * GiB }));
  }
  expect(classes.size).toBeLessThanOrEqual(27);
});
