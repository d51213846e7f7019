import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findSuites, mismatches, readSeconds, type ResultFile, withSeconds } from './suite-table.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const HEAD = ['| suite | proves | seconds |', '| --- | --- | ---: |'];
const TABLE = [
  '## make test',
  ...HEAD,
  '| `src/core/` | rules | 3 |',
  '## make e2e',
  ...HEAD,
  '| `test/e2e/a.test.ts` | a | – |',
  '## make soak',
  ...HEAD,
].join('\n');
const SUITES = ['src/core/x.test.ts', 'src/core/y/z.test.ts', 'test/e2e/a.test.ts'];

/** A result file of Jest, with seconds by suite. */
function resultFile(path: string, seconds: Readonly<Record<string, number>>): ResultFile {
  const testResults = Object.entries(seconds).map(([name, each]) => ({
    name: join(ROOT, name),
    startTime: 1000,
    endTime: 1000 + each * 1000,
  }));
  return { path, text: JSON.stringify({ testResults }) };
}

describe('test/README.md', () => {
  test('has a row for every suite, and no row without one', () => {
    expect(mismatches(readFileSync(join(ROOT, 'test', 'README.md'), 'utf8'), findSuites(ROOT))).toEqual([]);
  });
});

describe('The table of suites', () => {
  test('takes the seconds of a suite, and the sum of a folder; unmeasured suites are unchanged', () => {
    const seconds = readSeconds([resultFile('.test-results.json', { 'src/core/x.test.ts': 1.2, 'src/core/y/z.test.ts': 2.1 })], ROOT);
    const rows = withSeconds(TABLE, seconds, SUITES).split('\n');
    expect(rows).toContain('| `src/core/` | rules | 4 |');
    expect(rows).toContain('| `test/e2e/a.test.ts` | a | – |');
  });

  test('keeps the seconds of a folder that was only partly measured', () => {
    const seconds = readSeconds([resultFile('.test-results.json', { 'src/core/x.test.ts': 1.2 })], ROOT);
    expect(withSeconds(TABLE, seconds, SUITES)).toBe(TABLE);
  });

  test('takes only test/soak/ from the results of make soak, which runs suites of src/ with more cases', () => {
    const soak = resultFile('/x/.soak-results.json', { 'src/core/x.test.ts': 99, 'test/soak/s.test.ts': 7 });
    expect([...readSeconds([resultFile('/x/.test-results.json', { 'src/core/x.test.ts': 1 }), soak], ROOT)]).toEqual([
      ['src/core/x.test.ts', 1],
      ['test/soak/s.test.ts', 7],
    ]);
  });

  test.each([
    [
      'a suite without a row',
      ['src/core/x.test.ts', 'test/e2e/a.test.ts', 'test/e2e/b.test.ts'],
      ['test/e2e/b.test.ts: no row in test/README.md'],
    ],
    ['a row without a suite', ['src/core/x.test.ts'], ['test/e2e/a.test.ts: a row in test/README.md, and no suite']],
    [
      'a duplicate row',
      SUITES,
      ['test/e2e/a.test.ts: more than one row in test/README.md'],
      TABLE.replace('## make soak', '| `test/e2e/a.test.ts` | b | 2 |\n## make soak'),
    ],
    ['an empty cell', SUITES, ['src/core/: what it proves is empty'], TABLE.replace('| rules |', '|       |')],
    [
      'a row in the section of another tier',
      SUITES,
      ['test/e2e/a.test.ts: its row belongs to the section "make e2e"'],
      TABLE.replace('## make e2e', '## make soak'),
    ],
    ['a folder of test/', SUITES, ['test/e2e/: suites of test/ have a row each'], TABLE.replace('`test/e2e/a.test.ts`', '`test/e2e/`')],
    ['nothing where every suite has its row', ['src/core/x.test.ts', 'test/e2e/a.test.ts'], []],
  ])('names %s', (_what, suites, problems, table = TABLE) => {
    expect(mismatches(table, suites)).toEqual(problems);
  });
});
