import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { ThreadLpSolver } from '../../adapters/highs/thread-lp-solver.ts';
import { SECOND_MS } from '#kube/units';
import { describeOptions } from '../arguments.ts';
import { realOf } from '../backtest/find-recordings.ts';
import type { Command, Terminal } from '../command.ts';
import { printable } from '../escape.ts';
import { connectToCluster } from '../connect.ts';
import { type Connect } from '../recommendations/request-command.ts';
import { readCluster } from './cluster/read-cluster.ts';
import { findWriteProblem, writeAtomically } from '../write-atomically.ts';
import { packingCsv } from './emit.ts';
import { readInput, type ReadInput } from './input/read-input.ts';
import { planGap, VARIANT_SHARE, variantCount } from './gap/plan-gap.ts';
import { readExistingInput } from './nodes/read-existing.ts';
import { filesOf, PACK_OPTIONS, type PackOptions, parsePackOptions } from './options.ts';
import { type PackingPlan, planPacking, type PlanProgress } from './plan.ts';
import { type ChosenPacking, choosePreferred } from './prefer.ts';
import { provePacking } from './prove-packing.ts';
import { reportHtml } from './report/report-html.ts';
import { type PackSummary, summaryOf } from './report/summary.ts';
import { printTables } from './report/tables.ts';

const EXIT = { done: 0, failed: 1, usageError: 2, pending: 3, interrupted: 130 } as const;

/** `evenkeel pack`: the cheapest nodes found for a list of pods. @param connect to the cluster of --from-cluster */
export function createPackCommand(connect: Connect): Command {
  return {
    name: 'pack',
    summary: 'what would these pods cost at best: cheap nodes for them, and a bound below which none are',
    help: [
      'evenkeel pack --pods FILE --pools FILE [OPTIONS]',
      'evenkeel pack --nodes FILE [--pods FILE] --pools FILE [OPTIONS]',
      'evenkeel pack --from-cluster [--pools FILE | --prices FILE] [OPTIONS]',
      '',
      'Searches for the cheapest nodes that hold the pods, for --seconds, and compares their cost with a lower bound and with three',
      'other methods. The result is checked before it is printed: every pod once, no node over its allocatable. Without alloc_cpu_milli',
      'and alloc_memory_mib the whole machine is allocatable. A node has at most 110 pods.',
      'With --nodes or --from-cluster, pods that cannot move keep their node, and the cost is compared with that of the nodes',
      'that exist, part by part. A cluster is only read.',
      '',
      ...describeOptions(PACK_OPTIONS),
      '',
      'Examples:',
      '  evenkeel pack --pods pods.csv --pools pools.csv',
      '  evenkeel pack --pods pods.csv --pools pools.csv --seconds 60 --emit packing.csv',
      '  evenkeel pack --pods pods.csv --pools pools.csv --json | jq .lowerBound',
      '  kubectl get nodes,pods,daemonsets,pdb,pvc,pv,sc -A -o yaml > cluster.yaml; evenkeel pack --nodes cluster.yaml --pools pools.csv',
      '',
      'Exit code: 0 done, 1 no packing found or not written, 2 usage error or invalid input, 3 done, but pods of low priority stay',
      'pending (pools have a max), 130 interrupted.',
    ].join('\n'),
    async run(args, terminal) {
      const parsed = parsePackOptions(args);
      if (!parsed.ok) return refuse(terminal, parsed.problems);
      try {
        return await pack(parsed.options, terminal, connect);
      } catch (error) {
        if (terminal.interrupted.aborted) {
          terminal.err('evenkeel pack: interrupted; nothing was written');
          return EXIT.interrupted;
        }
        terminal.err(printable(`evenkeel pack: ${error instanceof Error ? error.message : String(error)}`));
        return EXIT.failed;
      }
    },
  };
}

export const packCommand = createPackCommand(connectToCluster);

function refuse(terminal: Terminal, problems: readonly string[]): number {
  for (const problem of problems) terminal.err(printable(`evenkeel pack: ${problem}`));
  return EXIT.usageError;
}

async function pack(options: PackOptions, terminal: Terminal, connect: Connect): Promise<number> {
  const read = await readSources(options, terminal, connect);
  if (!read.ok) return refuse(terminal, read.problems);
  // After the input: it creates folders.
  const problems = outputProblems(options);
  if (problems.length > 0) return refuse(terminal, problems);
  const solver = new ThreadLpSolver();
  try {
    const { input } = read;
    const { existing } = input;
    const variants = existing?.variants() ?? null;
    const seconds = options.seconds * (1 - VARIANT_SHARE * (variants === null ? 0 : variantCount(variants)));
    const dependencies = {
      // With preferences there are two searches.
      seconds: input.preferring.length === 0 ? seconds : seconds / 2,
      solver,
      signal: terminal.interrupted,
      nowMs: () => performance.now(),
      onError: (error: Error) => terminal.err(printable(`evenkeel pack: ${error.message}; what depends on it is missing`)),
    };
    const onProgress = progress(seconds, existing?.usdPerHour ?? 0, (line) => terminal.err(`evenkeel pack: ${line}`));
    const plan = await planPacking(input, { ...dependencies, onProgress });
    if (plan.best === null) {
      terminal.err('evenkeel pack: no packing was found within the max of the machine types; raise max, or add a machine type');
      return EXIT.failed;
    }
    const chosen = await choosePreferred(input, plan.prices, plan.best, dependencies);
    const gap = variants === null ? null : await planGap(input, plan, variants, { ...dependencies, seconds: options.seconds });
    return report(options, terminal, { plan, gap, chosen });
  } finally {
    await solver.close();
  }
}

/** @throws ConfigurationError where there is no usable kubeconfig, ApiFault where the API server fails */
async function readSources(options: PackOptions, terminal: Terminal, connect: Connect): Promise<ReadInput> {
  const { sources, headroom } = options;
  if (sources.kind === 'files') return readInput({ ...sources, headroom, preferenceCost: options['preference-cost'] });
  if (sources.kind === 'nodes') return readExistingInput(sources, headroom);
  const { transport, close } = await connect(sources, 'evenkeel-pack');
  try {
    return await readCluster(transport, { ...sources, headroom }, terminal.interrupted);
  } finally {
    close();
  }
}

interface Results {
  readonly plan: PackingPlan;
  readonly gap: PackSummary['gap'];
  readonly chosen: ChosenPacking;
}

function report(options: PackOptions, terminal: Terminal, { plan, gap, chosen: { input, best, preferences } }: Results): number {
  provePacking(input, best.packing);
  const summary = { ...summaryOf(input, plan, best, gap), preferences };
  // Written before the tables, since a reader that closes the pipe early ends the program.
  if (options.emit !== null) writeAtomically(options.emit, packingCsv(input, best.packing));
  if (options.report !== null) {
    writeAtomically(options.report, reportHtml(summary, input.problem, best.packing));
    terminal.err(`evenkeel pack: report written to ${printable(options.report)}`);
  }
  if (options.json) terminal.out(JSON.stringify(summary, null, 2));
  else for (const line of printTables(summary)) terminal.out(line);
  return input.pending.length > 0 ? EXIT.pending : EXIT.done;
}

/** Output that cannot be written, or would replace an input: reported before the search. */
function outputProblems({ emit, report: page, sources }: PackOptions): string[] {
  const inputs = new Set(filesOf(sources).map((file) => realOf(file)));
  const outputs = Object.entries({ '--emit': emit, '--report': page }).flatMap(([option, path]) =>
    path === null ? [] : [{ option, path }],
  );
  const problems = outputs.flatMap(({ option, path }) => {
    const why = findWriteProblem(dirname(path));
    if (why !== null) return [`${option}: ${dirname(path)} is not writable: ${why}; choose another folder`];
    if (inputs.has(realOf(path))) return [`${option}: ${path} is an input and would be overwritten; choose another file`];
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return [`${option}: ${path} is a folder; give a file`];
    // It is written beside the path and renamed, which would replace a pipe, a device or a link.
    return found === undefined || found.isFile() ? [] : [`${option}: ${path} is no regular file; choose another file`];
  });
  if (outputs.length === 2 && new Set(outputs.map(({ path }) => realOf(path))).size === 1) {
    problems.push(`--report: ${page ?? ''} is the file of --emit, too; choose another file`);
  }
  return problems;
}

const PROGRESS_EVERY_MS = 2 * SECOND_MS;

/** Prints the progress of the search on a terminal; nothing where the errors go to a file. @param paidUsd of nodes that stay */
function progress(seconds: number, paidUsd: number, print: (line: string) => void): (progress: PlanProgress) => void {
  let last = 0;
  return ({ elapsedMs, usdPerHour, boundUsdPerHour }) => {
    if (!process.stderr.isTTY || elapsedMs - last < PROGRESS_EVERY_MS) return;
    last = elapsedMs;
    const time = `${Math.floor(elapsedMs / SECOND_MS)} of ${Math.ceil(seconds)} s`;
    if (usdPerHour === null) {
      print(`${time}: no packing within max yet`);
      return;
    }
    const [cost, bound] = [usdPerHour + paidUsd, boundUsdPerHour + paidUsd];
    const gap = bound === 0 ? '' : `, ${((cost / bound - 1) * 100).toFixed(2)} % over the lower bound`;
    print(`${time}: $${cost.toFixed(2)} an hour${gap}`);
  };
}
