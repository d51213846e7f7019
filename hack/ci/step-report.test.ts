import { describe, expect, test } from '@jest/globals';
import { totalsOf, type JestResults } from './run-totals.ts';
import { stepReport, type Step } from './step-report.ts';

function aStep(name: string, step: Partial<Step> = {}): Step {
  return { name, seconds: 10, budgetSeconds: 60, failed: false, ...step };
}

function results(more: Partial<JestResults> = {}): JestResults {
  return { numPassedTests: 1, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, testResults: [], ...more };
}

const WARM = { seconds: 100, cold: false };

describe('The report of a CI run', () => {
  test('ends with the passed, failed and skipped tests of all runs', () => {
    const totals = new Map([
      ['test', totalsOf('test', results({ numPassedTests: 3, numPendingTests: 2 }))],
      ['e2e', totalsOf('e2e', results({ numPassedTests: 4, numFailedTests: 1, numRuntimeErrorTestSuites: 1 }))],
    ]);
    expect(stepReport([], totals, WARM).at(-1)).toBe('7 passed, 2 failed, 2 skipped');
  });

  test('counts a run without a passed test as a failure, and prints the reason', () => {
    const lines = stepReport([], new Map([['e2e', totalsOf('e2e', results({ numPassedTests: 0 }))]]), WARM);
    expect(lines).toContain('e2e: no test passed');
    expect(lines.at(-1)).toBe('0 passed, 1 failed');
  });

  test('names a step that exceeded its budget', () => {
    const lines = stepReport([aStep('check', { seconds: 61 }), aStep('test', { seconds: 60 })], new Map(), WARM);
    expect(lines.filter((line) => line.startsWith('WARNING'))).toEqual([
      'WARNING: check took 61 s, over its budget of 60 s on two idle cores',
    ]);
  });

  test.each([
    { run: { seconds: 1501, cold: false }, warnings: 1 },
    { run: { seconds: 1501, cold: true }, warnings: 0 },
    { run: { seconds: 2401, cold: true }, warnings: 1 },
  ])('allows the whole run more time when the control plane was compiled: $run', ({ run, warnings }) => {
    expect(stepReport([], new Map(), run).filter((line) => line.startsWith('WARNING'))).toHaveLength(warnings);
  });

  test('names the steps that failed, whether or not a test failed', () => {
    expect(stepReport([aStep('compile', { failed: true }), aStep('test')], new Map(), WARM)).toContain('FAILED: compile');
  });

  test('shows seconds, budget and tests of each step, and its longest suites', () => {
    const testResults = [
      { name: '/checkout/test/e2e/short.test.ts', startTime: 0, endTime: 2_000 },
      { name: '/checkout/test/controlplane/long.test.ts', startTime: 0, endTime: 9_000 },
    ];
    const lines = stepReport([aStep('e2e')], new Map([['e2e', totalsOf('e2e', results({ testResults }))]]), WARM);
    expect(lines).toContain('e2e               10      60  1 passed, 0 failed');
    expect(lines).toContain('longest suites of e2e: controlplane/long 9 s, e2e/short 2 s');
  });
});
