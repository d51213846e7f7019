import { describe, expect, test } from '@jest/globals';
import { readSimulationOptions } from './simulation-options.ts';

describe('The arguments of the simulation benchmark', () => {
  test('have defaults', () => {
    expect(readSimulationOptions([])).toEqual({ days: 14, workloads: 60, seed: 1, record: false });
    expect(readSimulationOptions(['2', '5', '0'])).toEqual({ days: 2, workloads: 5, seed: 0, record: false });
    expect(readSimulationOptions(['--record'])).toMatchObject({ days: 14, record: true });
  });

  test.each([
    [['abc'], 'days: "abc" must be a whole number of at least 1'],
    [['0'], 'days: "0" must be a whole number of at least 1'],
    [['1', '1.5'], 'workloads: "1.5" must be a whole number of at least 1'],
    [['1', '1', ''], 'seed: "" must be a whole number of at least 0'],
    [['1', '1', '1', '1'], 'at most 3 numbers are expected'],
    [['2', '--record'], '--record takes no numbers'],
    [['--recrod'], "Unknown option '--recrod'"],
  ])('refuse %j', (args, problem) => {
    expect(() => readSimulationOptions(args)).toThrow(problem);
  });
});
