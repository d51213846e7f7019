// Prints the plain total of a test run from Jest's own result file, and fails where the run failed or ran nothing.
import { readFileSync } from 'node:fs';

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
}

const [file = 'node_modules/.test-results.json'] = process.argv.slice(2);
const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
// A suite that could not even start counts as one failure: it must never pass for none.
const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
const skipped = results.numPendingTests > 0 ? `, ${results.numPendingTests} skipped` : '';
console.log(`${results.numPassedTests} passed, ${failed} failed${skipped}`);
process.exitCode = failed > 0 || results.numPassedTests === 0 ? 1 : 0;
