// The tables of suites in test/README.md, one per tier: a row per suite of test/, a row per folder of src/, and one for hack/, each with
// its seconds.

import { globSync } from 'node:fs';
import { basename, relative } from 'node:path';

/** `| suite or folder/ | what it proves | seconds |` */
const ROW = /^\| `([^`]+)` *\| (.*?) *\| *(\d+|–) *\|$/;

/** The heading above the rows of a tier. */
const SECTION = /^## (make \w+)$/;

/** A file that Jest wrote with `--json --outputFile`. */
export interface ResultFile {
  readonly path: string;
  readonly text: string;
}

interface Row {
  readonly name: string;
  readonly proves: string;
  readonly section: string;
}

interface JestResults {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

/** Paths of all suites, from the root. */
export function findSuites(root: string): readonly string[] {
  return globSync(['src/**/*.test.ts', 'packages/**/*.test.ts', 'hack/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort();
}

/** Seconds by suite; the last value when several result files have it. */
export function readSeconds(files: readonly ResultFile[], root: string): ReadonlyMap<string, number> {
  return new Map(
    files.flatMap(({ path, text }) => {
      // `make soak` repeats suites of src/ with more cases, whose seconds have no row.
      const isSoak = basename(path).includes('soak');
      return (JSON.parse(text) as JestResults).testResults
        .map(({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1000] as const)
        .filter(([suite]) => !isSoak || suite.startsWith('test/soak/'));
    }),
  );
}

/** The tables with the measured seconds. The row of a folder changes only when all of its suites were measured. */
export function withSeconds(text: string, seconds: ReadonlyMap<string, number>, suites: readonly string[]): string {
  return text
    .split('\n')
    .map((line) => {
      const [, name = '', proves = ''] = ROW.exec(line) ?? [];
      const measured = suites.filter((suite) => isCovered(name, suite)).map((suite) => seconds.get(suite) ?? NaN);
      const sum = measured.reduce((total, each) => total + each, 0);
      if (measured.length === 0 || Number.isNaN(sum)) return line;
      return `| \`${name}\` | ${proves} | ${Math.ceil(sum)} |`;
    })
    .join('\n');
}

/** Suites without a row, and rows without a suite, without a description, in the wrong section, or for more than one suite of test/. */
export function mismatches(text: string, suites: readonly string[]): readonly string[] {
  const rows = readRows(text);
  const names = rows.map(({ name }) => name);
  return [
    ...suites.filter((suite) => !names.some((name) => isCovered(name, suite))).map((suite) => `${suite}: no row in test/README.md`),
    ...names
      .filter((name) => !suites.some((suite) => isCovered(name, suite)))
      .map((name) => `${name}: a row in test/README.md, and no suite`),
    ...names.filter((name) => name.startsWith('test/') && name.endsWith('/')).map((name) => `${name}: suites of test/ have a row each`),
    ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `${name}: more than one row in test/README.md`),
    ...rows.filter(({ proves }) => proves === '').map(({ name }) => `${name}: what it proves is empty`),
    ...rows
      .filter(({ name, section }) => section !== sectionOf(name))
      .map(({ name }) => `${name}: its row belongs to the section "${sectionOf(name)}"`),
  ];
}

function readRows(text: string): readonly Row[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    section = SECTION.exec(line)?.[1] ?? section;
    const [, name, proves = ''] = ROW.exec(line) ?? [];
    return name === undefined ? [] : [{ name, proves, section }];
  });
}

/** The section of a suite follows from its folder, as in the Jest configurations. */
function sectionOf(name: string): string {
  if (name.startsWith('test/soak/')) return 'make soak';
  return /^test\/(e2e|controlplane)\//.test(name) ? 'make e2e' : 'make test';
}

function isCovered(row: string, suite: string): boolean {
  return row.endsWith('/') ? suite.startsWith(row) : suite === row;
}
