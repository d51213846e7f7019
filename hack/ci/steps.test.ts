import { describe, expect, test } from '@jest/globals';
import { readSteps, totalsOfSteps } from './steps.ts';
import { failedRun } from './run-totals.ts';

describe('The steps of a CI run', () => {
  test.each([
    [false, 200],
    [true, 420],
  ])('have a budget for a warm and one for a cold run (cold: %s)', (cold, budgetSeconds) => {
    expect(readSteps('test 100 200 420 0\n', cold)).toEqual([{ name: 'test', seconds: 100, budgetSeconds, failed: false }]);
  });

  test('fail when a line is incomplete; an empty file has no step', () => {
    expect(readSteps('check 10 20', false)).toEqual([{ name: 'check 10 20', seconds: 0, budgetSeconds: 0, failed: true }]);
    expect(readSteps('', false)).toEqual([]);
  });

  test('count as one failure when no step with tests was started', () => {
    expect([...totalsOfSteps(readSteps('install 1 2 2 1\n', false), () => failedRun('read'))]).toEqual([
      ['test and e2e', expect.objectContaining({ failed: 1, problems: ['test and e2e did not run'] })],
    ]);
  });

  test('have the results of the started ones', () => {
    const steps = readSteps('test 1 2 2 0\ne2e 1 2 2 1\n', false);
    expect([...totalsOfSteps(steps, (name) => failedRun(name)).values()]).toEqual([failedRun('test'), failedRun('e2e')]);
  });
});
