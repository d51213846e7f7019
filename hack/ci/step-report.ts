import { totalLine, type RunTotals } from './run-totals.ts';

/** One step of .ci/run. */
export interface Step {
  readonly name: string;
  readonly seconds: number;
  readonly budgetSeconds: number;
  readonly failed: boolean;
}

/** Budgets of all steps together, on two idle cores: with a cached control plane (warm), and with one that is compiled (cold). */
const BUDGET_SECONDS = { warm: 25 * 60, cold: 40 * 60 };
/** Number of suites of a step that are listed with their seconds. */
const LISTED = 6;

/** The end of .ci/run: seconds, budget and tests of each step, exceeded budgets, failures, and the total of all tests. */
export function stepReport(
  steps: readonly Step[],
  totalsByStep: ReadonlyMap<string, RunTotals>,
  run: { readonly seconds: number; readonly cold: boolean },
): readonly string[] {
  const budgetSeconds = run.cold ? BUDGET_SECONDS.cold : BUDGET_SECONDS.warm;
  const totals = [...totalsByStep.values()];
  const total: Step = { name: run.cold ? 'all, cold' : 'all', seconds: run.seconds, budgetSeconds, failed: false };
  return [
    row('step', 'seconds', 'budget', 'tests'),
    ...steps.map((step) => stepRow(step, totalsByStep.get(step.name))),
    stepRow(total, undefined),
    ...[...totalsByStep].flatMap(([name, { suites }]) => longest(name, suites)),
    ...[...steps, total].filter(({ seconds, budgetSeconds: budget }) => seconds > budget).map(exceeded),
    ...totals.flatMap(({ problems }) => problems),
    ...steps.filter(({ failed }) => failed).map(({ name }) => `FAILED: ${name}`),
    totalLine(totals),
  ];
}

function stepRow({ name, seconds, budgetSeconds }: Step, totals: RunTotals | undefined): string {
  return row(name, String(seconds), String(budgetSeconds), totals === undefined ? '' : totalLine([totals]));
}

function row(name: string, seconds: string, budget: string, tests: string): string {
  return `${name.padEnd(12)}${seconds.padStart(8)}${budget.padStart(8)}  ${tests}`.trimEnd();
}

function longest(name: string, suites: RunTotals['suites']): readonly string[] {
  const listed = suites.slice(0, LISTED).map(({ path, seconds }) => `${nameOf(path)} ${seconds} s`);
  return listed.length === 0 ? [] : [`longest suites of ${name}: ${listed.join(', ')}`];
}

function nameOf(path: string): string {
  return path.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '').replace(/\.test\.ts$/, '');
}

function exceeded({ name, seconds, budgetSeconds }: Step): string {
  return `WARNING: ${name} took ${seconds} s, over its budget of ${budgetSeconds} s on two idle cores`;
}
