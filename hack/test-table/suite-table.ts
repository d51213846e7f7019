// The table of suites in test/README.md: a row per suite of test/, and a row per room of src/ and for hack/, each with the
// seconds that it took.

import { globSync } from 'node:fs';
import { relative } from 'node:path';

/** `| suite or folder/ | what it proves | seconds |` */
const ROW = /^\| `([^`]+)` *\| (.*?) *\| *(\d+|–) *\|$/;

interface JestResults {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

/** Paths of all suites, from the root. */
export function findSuites(root: string): readonly string[] {
  return globSync(['src/**/*.test.ts', 'hack/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort();
}

/** Seconds by suite; of a suite in several result files the last. */
export function readSeconds(results: readonly string[], root: string): ReadonlyMap<string, number> {
  return new Map(
    results.flatMap((text) =>
      (JSON.parse(text) as JestResults).testResults.map(
        ({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1000] as const,
      ),
    ),
  );
}

/** The table with the seconds that are known. A row that ends with a slash holds all suites below it. */
export function withSeconds(text: string, seconds: ReadonlyMap<string, number>): string {
  return text
    .split('\n')
    .map((line) => {
      const [, name = '', proves = ''] = ROW.exec(line) ?? [];
      const measured = [...seconds].filter(([suite]) => holds(name, suite)).map(([, each]) => each);
      if (name === '' || measured.length === 0) return line;
      return `| \`${name}\` | ${proves} | ${Math.ceil(measured.reduce((sum, each) => sum + each, 0))} |`;
    })
    .join('\n');
}

/** Suites without a row, suites of test/ that share one, and rows without a suite. */
export function mismatches(text: string, suites: readonly string[]): readonly string[] {
  const rows = text.split('\n').flatMap((line) => ROW.exec(line)?.[1] ?? []);
  return [
    ...suites.filter((suite) => !rows.some((row) => holds(row, suite))).map((suite) => `${suite}: no row in test/README.md`),
    ...rows.filter((row) => !suites.some((suite) => holds(row, suite))).map((row) => `${row}: a row in test/README.md, and no suite`),
    ...rows.filter((row) => row.startsWith('test/') && row.endsWith('/')).map((row) => `${row}: suites of test/ have a row each`),
  ];
}

function holds(row: string, suite: string): boolean {
  return row.endsWith('/') ? suite.startsWith(row) : suite === row;
}
