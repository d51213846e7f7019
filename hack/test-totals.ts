// Prints the total of one or more test runs from Jest's result files, and fails when a test failed or a run did not take place.
import { readRunTotals, totalLine } from './ci/run-totals.ts';

const given = process.argv.slice(2);
const totals = (given.length > 0 ? given : ['node_modules/.test-results.json']).map(readRunTotals);
for (const { problems } of totals) for (const problem of problems) console.log(problem);
console.log(totalLine(totals));
process.exitCode = totals.some(({ failed }) => failed > 0) ? 1 : 0;
