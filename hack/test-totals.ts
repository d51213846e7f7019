// Prints the plain total of one or more test runs from Jest's own result files, and fails where a test failed or a run did not take place.
import { existsSync, readFileSync } from 'node:fs';

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
}

const given = process.argv.slice(2);
const files = given.length > 0 ? given : ['node_modules/.test-results.json'];
let passed = 0;
let failed = 0;
let skipped = 0;
for (const file of files) {
  if (!existsSync(file)) {
    // A run that wrote no results never came to its end: it must never pass for one without failures.
    console.log(`${file} is not there: its run did not come to an end`);
    failed += 1;
    continue;
  }
  const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
  if (results.numPassedTests === 0) {
    console.log(`${file}: no test passed`);
    failed += 1;
  }
  passed += results.numPassedTests;
  // A suite that could not even start counts as one failure: it must never pass for none.
  failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
  skipped += results.numPendingTests;
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
