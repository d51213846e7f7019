// Writes the seconds of Jest's result files into the tables of test/README.md. `make test`, `make e2e` and `make soak` write such files;
// suites without a measurement keep their seconds. Prints mismatches between the tables and the suites, and then fails.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { findSuites, mismatches, readSeconds, withSeconds } from './test-table/suite-table.ts';

const ROOT = join(import.meta.dirname, '..');
const TABLE = join(ROOT, 'test', 'README.md');
const RESULTS = ['test', 'e2e', 'soak'].map((tier) => join(ROOT, 'node_modules', `.${tier}-results.json`));

const given = process.argv.slice(2);
const files = given.length > 0 ? given : RESULTS.filter((file) => existsSync(file));
const suites = findSuites(ROOT);
const seconds = readSeconds(
  files.map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  ROOT,
);
const text = withSeconds(readFileSync(TABLE, 'utf8'), seconds, suites);
writeFileSync(TABLE, await format(text, { ...(await resolveConfig(TABLE)), parser: 'markdown' }));
const problems = mismatches(text, suites);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
