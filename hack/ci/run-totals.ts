import { readFileSync } from 'node:fs';

/** The counted fields of Jest's result file (`--json --outputFile`). Times are in milliseconds. */
export interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

/** Counts of one run of tests. */
export interface RunTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Longest first. */
  readonly suites: readonly { readonly path: string; readonly seconds: number }[];
  /** Reasons of failures that no test reported. */
  readonly problems: readonly string[];
}

/** Reads the totals of a run. A run without complete results, or without a passed test, counts as a failure. */
export function readRunTotals(file: string): RunTotals {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (err) {
    const reason = (err as NodeJS.ErrnoException).code === 'ENOENT' ? 'is missing' : `cannot be read (${(err as Error).message})`;
    return failedRun(`${file} ${reason}: the run did not complete`);
  }
  const results = parseResults(text);
  return results === null ? failedRun(`${file} has no complete results: the run did not complete`) : totalsOf(file, results);
}

/** Totals of a run that counts as one failure. */
export function failedRun(problem: string): RunTotals {
  return { passed: 0, failed: 1, skipped: 0, suites: [], problems: [problem] };
}

function parseResults(text: string): JestResults | null {
  try {
    const results = JSON.parse(text) as Partial<JestResults> | null;
    const counts = [results?.numPassedTests, results?.numFailedTests, results?.numRuntimeErrorTestSuites, results?.numPendingTests];
    return counts.every(Number.isSafeInteger) && Array.isArray(results?.testResults) ? (results as JestResults) : null;
  } catch {
    return null;
  }
}

/** @param name name of the run, for its problems */
export function totalsOf(name: string, results: JestResults): RunTotals {
  const nothing = results.numPassedTests === 0;
  return {
    passed: results.numPassedTests,
    // A suite that could not start counts as one failure.
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites + (nothing ? 1 : 0),
    skipped: results.numPendingTests,
    suites: results.testResults
      .map(({ name: path, startTime, endTime }) => ({ path, seconds: Math.round((endTime - startTime) / 1000) }))
      .sort((a, b) => b.seconds - a.seconds),
    problems: nothing ? [`${name}: no test passed`] : [],
  };
}

/** The total that every run of tests prints last, with skipped tests if there are any. */
export function totalLine(totals: readonly RunTotals[]): string {
  const sum = (count: (run: RunTotals) => number): number => totals.reduce((sumSoFar, run) => sumSoFar + count(run), 0);
  const skipped = sum((run) => run.skipped);
  const counts = `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed`;
  return skipped > 0 ? `${counts}, ${skipped} skipped` : counts;
}
