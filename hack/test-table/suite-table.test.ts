import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findSuites, mismatches, readSeconds, withSeconds } from './suite-table.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const TABLE = [
  '| suite | proves | seconds |',
  '| --- | --- | ---: |',
  '| `src/core/` | rules | 3 |',
  '| `test/e2e/a.test.ts` | a | – |',
].join('\n');

describe('test/README.md', () => {
  test('has a row for every suite, and no row without one', () => {
    expect(mismatches(readFileSync(join(ROOT, 'test', 'README.md'), 'utf8'), findSuites(ROOT))).toEqual([]);
  });
});

describe('The table of suites', () => {
  test('takes the seconds of a suite, and the sum of a folder; what was not measured stays', () => {
    const result = (name: string, seconds: number) => ({ name: join(ROOT, name), startTime: 1000, endTime: 1000 + seconds * 1000 });
    const results = JSON.stringify({ testResults: [result('src/core/x.test.ts', 1.2), result('src/core/y/z.test.ts', 2.1)] });
    expect(
      withSeconds(TABLE, readSeconds([results], ROOT))
        .split('\n')
        .slice(2),
    ).toEqual(['| `src/core/` | rules | 4 |', '| `test/e2e/a.test.ts` | a | – |']);
  });

  test.each([
    [
      'a suite without a row',
      ['src/core/x.test.ts', 'test/e2e/a.test.ts', 'test/e2e/b.test.ts'],
      ['test/e2e/b.test.ts: no row in test/README.md'],
    ],
    ['a row without a suite', ['src/core/x.test.ts'], ['test/e2e/a.test.ts: a row in test/README.md, and no suite']],
    ['nothing where all is there', ['src/core/x.test.ts', 'test/e2e/a.test.ts'], []],
  ])('names %s', (_what, suites, problems) => {
    expect(mismatches(TABLE, suites)).toEqual(problems);
  });
});
