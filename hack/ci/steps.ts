import { failedRun, type RunTotals } from './run-totals.ts';
import type { Step } from './step-report.ts';

/** `NAME SECONDS WARM-BUDGET COLD-BUDGET EXIT-CODE` */
const STEP = /^(\S+) (\d+) (\d+) (\d+) (\d+)$/;
/** Steps that run tests. */
const TEST_STEPS = ['test', 'e2e'];

/** The steps that .ci/run recorded. An incomplete line counts as a failed step. */
export function readSteps(text: string, cold: boolean): readonly Step[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = line, seconds = 0, warmBudget = 0, coldBudget = 0, code = 1] = STEP.exec(line) ?? [];
      return { name, seconds: Number(seconds), budgetSeconds: Number(cold ? coldBudget : warmBudget), failed: Number(code) !== 0 };
    });
}

/** Totals of the steps that run tests. The steps that were not started count as one failure. */
export function totalsOfSteps(steps: readonly Step[], read: (name: string) => RunTotals): ReadonlyMap<string, RunTotals> {
  const isStarted = (name: string): boolean => steps.some((step) => step.name === name);
  const totals = new Map(TEST_STEPS.filter(isStarted).map((name) => [name, read(name)]));
  const missing = TEST_STEPS.filter((name) => !isStarted(name)).join(' and ');
  return missing === '' ? totals : totals.set(missing, failedRun(`${missing} did not run`));
}
