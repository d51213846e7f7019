import { describe, expect, test } from '@jest/globals';
import { readScaleOptions } from './scale-options.ts';

describe('The arguments of the scale benchmark', () => {
  test('have defaults', () => {
    expect(readScaleOptions([])).toEqual({ sizes: [100, 1000], minutes: 3, record: false, profiles: null });
    expect(readScaleOptions(['--nodes', '5000', '--minutes', '5', '--record'])).toMatchObject({ sizes: [5000], minutes: 5, record: true });
    expect(readScaleOptions(['--profiles', '/tmp/p']).profiles).toBe('/tmp/p');
    expect(readScaleOptions(['--nodes', '10', '--nodes', '20']).sizes).toEqual([10, 20]);
  });

  test.each([
    [['--nodes', '0'], '--nodes: "0" must be a whole number from 1 to 60000'],
    [['--nodes', '60001'], '--nodes: "60001" must be a whole number from 1 to 60000'],
    [['--minutes', '1.5'], '--minutes: "1.5" must be a whole number from 1 to 1440'],
    [['--record', '--profiles', '/tmp/p'], '--record with --profiles'],
    [['5000'], "Unexpected argument '5000'"],
    [['--node', '5'], "Unknown option '--node'"],
  ])('refuse %j', (args, problem) => {
    expect(() => readScaleOptions(args)).toThrow(problem);
  });
});
