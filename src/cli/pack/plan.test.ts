import { describe, expect, test } from '@jest/globals';
import { classifyPods } from '../../core/packing/packing-problem.ts';
import { startPatternBound } from './plan.ts';

describe('the bound over patterns', () => {
  test('is not computed for more classes than it can bound in minutes', () => {
    const demands = Array.from({ length: 501 }, (_, at) => ({
      ...{ cpuMillicores: at + 1, memoryMib: 1, gpus: 0 },
      ...{ machineTypes: null, group: null },
    }));
    const large = { name: 'large', cpuMillicores: 8000, memoryMib: 8192, gpus: 0, maxPods: 110, usdPerHour: 1, maxNodes: null };
    expect(startPatternBound(classifyPods(demands, [large]).problem, () => undefined)).toBeNull();
  });
});
