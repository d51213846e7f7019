import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const TEST_TOTALS = join(import.meta.dirname, '..', 'test-totals.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-totals-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function printTotals(results: string): { readonly status: number | null; readonly lines: readonly string[] } {
  writeFileSync(join(folder, 'results.json'), results);
  const { status, stdout } = spawnSync(process.execPath, [TEST_TOTALS, 'results.json'], { cwd: folder, encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n') };
}

describe('hack/test-totals.ts', () => {
  test.each(['', '{', 'null', '[]', '{"testResults":[]}', '{"numPassedTests":1}'])('counts the results %j as one failure', (results) => {
    expect(printTotals(results)).toEqual({
      status: 1,
      lines: ['results.json has no complete results: the run did not complete', '0 passed, 1 failed'],
    });
  });

  test.each([
    [0, '3 passed, 0 failed'],
    [2, '3 passed, 0 failed, 2 skipped'],
  ])('succeeds when no test failed and %d were skipped', (numPendingTests, line) => {
    const results = { numPassedTests: 3, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests, testResults: [] };
    expect(printTotals(JSON.stringify(results))).toEqual({ status: 0, lines: [line] });
  });
});
