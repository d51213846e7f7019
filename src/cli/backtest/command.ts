import { dirname, join, basename } from 'node:path';
import process from 'node:process';
import type { EvenkeelSetting } from '../../core/backtest/evenkeel-policy.ts';
import { describeOptions } from '../arguments.ts';
import type { Command, Terminal } from '../command.ts';
import { printable } from '../escape.ts';
import { findRecordings, type InputProblem, nameClashes, realOf } from './find-recordings.ts';
import { BACKTEST_OPTIONS, type BacktestOptions, parseBacktestOptions } from './options.ts';
import { connectByOptions, readFromPrometheus } from './prometheus-recordings.ts';
import type { ReplayJob } from './replay-job.ts';
import { replayAll } from './replay-pool.ts';
import { reportOf, type Report } from './report/report.ts';
import { summarize } from './report/summary.ts';
import { printTables } from './report/tables.ts';
import { findWriteProblem, writeAtomically } from '../write-atomically.ts';
import { reportMarkdown } from './report/report-markdown.ts';
import { reportHtml } from './report/report-html.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';

const EXIT = { done: 0, failed: 1, usageError: 2, interrupted: 130 } as const;

/** `evenkeel backtest`: replays recorded usage and compares Evenkeel's requests with other methods. */
export const backtestCommand: Command = {
  name: 'backtest',
  summary: 'replay recorded usage: requests of Evenkeel compared with VPA, KRR and perfect foresight',
  help: [
    'evenkeel backtest [FILE|DIR...] [--prometheus URL] [OPTIONS]',
    '',
    'Each file is the recorded usage of one container: CSV (also .csv.gz) with a header of t_s or timestamp (Unix',
    'seconds, or text such as 2026-01-31 13:05:00 in UTC) and cpu_m (millicores) and/or mem_mib (MiB). Columns and rows may be',
    'in any order; a column pod distinguishes replicas, others are ignored; an empty cell is an unknown value. Any step',
    'is accepted. Folders are read recursively. With --prometheus the history of each container is read from there, replicas combined: by',
    'kube-state-metrics where available, else by pod names. Each decision uses only earlier rows.',
    '',
    ...describeOptions(BACKTEST_OPTIONS),
    '',
    'Examples:',
    '  evenkeel backtest usage/                          tables for every recording in a folder',
    '  evenkeel backtest --goal safe --emit out a.csv    and out/a.csv: each request, with its start time',
    '  evenkeel backtest usage/ --report report.html     one page with plots, worst workloads first',
    '  evenkeel backtest --prometheus http://localhost:9090 --namespace shop --report shop.html',
    '  evenkeel backtest usage/ --json | jq .overall     machine-readable',
    '',
    'Exit code: 0 all replayed, 1 some not replayed (each is reported), 2 usage error, 130 interrupted.',
  ].join('\n'),
  async run(args, terminal) {
    const parsed = parseBacktestOptions(args);
    if (!parsed.ok) {
      for (const problem of parsed.problems) terminal.err(`evenkeel backtest: ${problem}`);
      return EXIT.usageError;
    }
    try {
      return await backtest(parsed.options, terminal);
    } catch (err) {
      if (err instanceof UsageError) {
        for (const problem of err.problems) terminal.err(printable(`evenkeel backtest: ${problem}`));
        return EXIT.usageError;
      }
      if (terminal.interrupted.aborted) {
        terminal.err('evenkeel backtest: interrupted; files written so far are complete');
        return EXIT.interrupted;
      }
      terminal.err(`evenkeel backtest: ${err instanceof Error ? err.message : String(err)}`);
      return EXIT.failed;
    }
  },
};

async function backtest(options: BacktestOptions, terminal: Terminal): Promise<number> {
  const { files, problems, hasExcluded } = findRecordings(options.paths, options.emit);
  const print = (line: string): void => terminal.err(printable(`evenkeel backtest: ${line}`));
  if (hasExcluded) print(`${options.emit ?? ''} is skipped: it is the folder of --emit`);
  const fromFiles = files.map(({ path, name }): Recording => ({ name, path, from: { kind: 'file', path } }));
  refuse(emitProblems(fromFiles, options.emit));
  refuse(folderProblems(options));
  const connection = connectByOptions(options, (problem) => refuse([problem]));
  const known = connection === null ? null : await readFromPrometheus(connection, options, print, terminal.interrupted);
  const recordings = [
    ...fromFiles,
    ...(known?.recordings ?? []).map(({ name, source, trace }): Recording => ({
      name,
      path: null,
      from: { kind: 'trace', source: `${source}: ${name}`, trace },
    })),
  ];
  refuse(emitProblems(recordings, options.emit));
  return replayAndReport(recordings, [...problems, ...(known?.problems ?? [])], options, terminal);
}

/** A recording to replay. */
interface Recording {
  readonly name: string;
  /** Path of its file; null: from Prometheus. */
  readonly path: string | null;
  readonly from: ReplayJob['from'];
}

/** A usage error that is found before the replay. */
class UsageError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError(problems);
}

async function replayAndReport(
  recordings: readonly Recording[],
  problems: readonly InputProblem[],
  options: BacktestOptions,
  terminal: Terminal,
): Promise<number> {
  const setting: EvenkeelSetting = { goal: options.goal, pace: options.pace };
  const jobs = recordings.map(({ name, from }): ReplayJob => ({
    name,
    from,
    setting,
    resources: options.resource,
    warmUpDays: options['warm-up'],
    emitTo: options.emit === null ? null : emitPath(options.emit, name),
    withPlots: options.report !== null,
  }));
  const onDone = progress({
    total: jobs.length,
    print: (line) => terminal.err(`evenkeel backtest: ${line}`),
    isTerminal: process.stderr.isTTY,
    now: () => performance.now(),
  });
  const outcomes = await replayAll({ jobs, threads: options.jobs, signal: terminal.interrupted, onDone });
  const workloads = outcomes.flatMap(({ workload }) => workload ?? []);
  const summary = summarize(setting, workloads, [...problems, ...outcomes.flatMap((outcome) => outcome.problems)]);
  for (const problem of summary.problems) terminal.err(printable(`evenkeel backtest: ${writeProblem(problem)}`));
  // Written before the tables, since a reader that closes the pipe early ends the program.
  if (options.report !== null) {
    writeReport(options.report, reportOf(summary, workloads));
    terminal.err(`evenkeel backtest: report written to ${options.report}`);
  }
  if (options.json) terminal.out(JSON.stringify(summary, null, 2));
  else for (const line of printTables(summary)) terminal.out(line);
  if (workloads.length === 0) terminal.err('evenkeel backtest: nothing was replayed');
  return summary.problems.length === 0 ? EXIT.done : EXIT.failed;
}

function emitPath(folder: string, name: string): string {
  return join(folder, `${name}.csv`);
}

/** Output must neither overwrite inputs nor other output. */
function emitProblems(recordings: readonly Recording[], folder: string | null): string[] {
  if (folder === null) return [];
  const read = new Set(recordings.map(({ path }) => (path === null ? null : realOf(path))));
  const over = recordings.map(({ name }) => emitPath(folder, name)).filter((path) => read.has(realOf(path)));
  return [
    ...nameClashes(recordings).map((clash) => `--emit: ${clash}; replay them separately, or give their common parent folder`),
    ...over.map((path) => `--emit: ${path} is an input and would be overwritten; choose another folder`),
  ];
}

/** Folders that are not writable, reported before minutes of replaying. */
function folderProblems({ emit, report }: BacktestOptions): string[] {
  const folders = [
    ...(emit === null ? [] : [['--emit', emit] as const]),
    ...(report === null ? [] : [['--report', dirname(report)] as const]),
  ];
  return folders.flatMap(([option, folder]) => {
    const why = findWriteProblem(folder);
    return why === null ? [] : [`${option}: ${folder} is not writable: ${why}; choose another folder`];
  });
}

function writeProblem({ source, line, problem }: InputProblem): string {
  return `${source}${line === null ? '' : `:${line}`}: ${problem}`;
}

/** Writes a report in the format of its extension: `.html`, else Markdown with a folder of plots. */
function writeReport(path: string, report: Report): void {
  if (path.toLowerCase().endsWith('.html')) {
    writeAtomically(path, reportHtml(report));
    return;
  }
  const folder = `${basename(path).replace(/\.md$/i, '')}-plots`;
  const { text, plots } = reportMarkdown(report, folder);
  for (const [file, svg] of plots) writeAtomically(join(dirname(path), folder, file), svg);
  writeAtomically(path, text);
}

const EVERY_MS = { terminal: 3 * SECOND_MS, file: 30 * SECOND_MS } as const;

interface ProgressDependencies {
  readonly total: number;
  readonly print: (line: string) => void;
  readonly isTerminal: boolean;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
}

/** Returns a function to call after each recording. */
function progress({ total, print, isTerminal, now }: ProgressDependencies): (done: number) => void {
  const every: DurationMs = isTerminal ? EVERY_MS.terminal : EVERY_MS.file;
  const started = now();
  let last = started;
  return (done) => {
    const at = now();
    if (at - last < every || done === total) return;
    last = at;
    const left = ((at - started) / done) * (total - done);
    print(`${done} of ${total} recordings replayed, about ${Math.ceil(left / SECOND_MS)} s left`);
  };
}
