// Prints the end of .ci/run: `ci-report.ts SECONDS STEPS BUILT`. The file STEPS has a line per executed step (hack/ci/steps.ts); the file
// BUILT has the names of the compiled binaries. Fails when a step or a test failed.
import { existsSync, readFileSync } from 'node:fs';
import { readRunTotals } from './ci/run-totals.ts';
import { stepReport } from './ci/step-report.ts';
import { readSteps, totalsOfSteps } from './ci/steps.ts';

const [seconds = '0', stepsFile = '', builtFile = ''] = process.argv.slice(2);
// Only compiling the control plane takes minutes.
const cold = readIfPresent(builtFile).split('\n').includes('controlplane');
const steps = readSteps(readIfPresent(stepsFile), cold);
const totals = totalsOfSteps(steps, (name) => readRunTotals(`node_modules/.${name}-results.json`));
for (const line of stepReport(steps, totals, { seconds: Number(seconds), cold })) console.log(line);
process.exitCode = steps.some(({ failed }) => failed) || [...totals.values()].some(({ failed }) => failed > 0) ? 1 : 0;

function readIfPresent(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
