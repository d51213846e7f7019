// Prints the end of .ci/run: `ci-report.ts SECONDS BUILT STEPS`, with a line `NAME SECONDS BUDGET EXIT-CODE` for each step in the
// file STEPS. Fails where a step or a test failed.
import { readFileSync } from 'node:fs';
import { readRunTotals } from './ci/run-totals.ts';
import { stepReport } from './ci/step-report.ts';

const [seconds = '0', built = '0', file = ''] = process.argv.slice(2);
const steps = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', took, budget, code] = line.split(' ');
    return { name, seconds: Number(took), budgetSeconds: Number(budget), failed: code !== '0' };
  });
const totals = new Map(['test', 'e2e'].map((name) => [name, readRunTotals(`node_modules/.${name}-results.json`)]));
for (const line of stepReport(steps, totals, { seconds: Number(seconds), compiled: Number(built) > 0 })) console.log(line);
process.exitCode = steps.some(({ failed }) => failed) || [...totals.values()].some(({ failed }) => failed > 0) ? 1 : 0;
