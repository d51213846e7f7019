// hack/prove-stable: complete test runs in a row with busy loops, so that a test that depends on the speed of the machine fails.

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const USAGE = `usage: hack/prove-stable [RUNS] [--e2e] [--logs FOLDER]

  RUNS           runs of make test (default: 5; 0 only with --e2e)
  --e2e          then also run make e2e twice
  --logs FOLDER  where each run's output is kept (default: a new temporary folder)

Two busy loops run beside the tests. Prints a line per run, with the tests that failed in it, and fails where one failed.`;

const ROOT = join(import.meta.dirname, '..', '..');
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;
const RUNS = 5;
const E2E_RUNS = 2;
/** One per core of the smallest machine on which the tests must pass. */
const BUSY_LOOPS = 2;
/** Time for make and Jest to end their processes. */
const GRACE_MS = 15_000;
/** The last line of hack/test-totals.ts. */
const TOTALS = /^\d+ passed, (\d+) failed(?:, \d+ skipped)?$/;
const FAILURE = /^(?:FAIL | {2}● .* › |\s*● Test suite failed to run)/;
/** Variables that would select a part of the tests, or options of another target. */
const UNINHERITED_VARIABLES = ['TESTS', 'BENCH', 'MAKEFLAGS', 'MFLAGS', 'MAKEOVERRIDES'];

interface Options {
  readonly runs: number;
  readonly e2e: boolean;
  readonly logs: string | undefined;
}

interface Outcome {
  readonly seconds: number;
  readonly ok: boolean;
  readonly totals: string;
  /** Jest's lines of failed suites and tests. */
  readonly failures: readonly string[];
}

/** Running child processes, which are ended with this process. */
const children = new Set<ChildProcess>();
/** Set when the proof ends before its last run. */
let exitCode: number | null = null;

async function main(): Promise<number> {
  const options = readArguments(process.argv.slice(2));
  if (typeof options === 'number') return options;
  const logs = createLogFolder(options.logs);
  if (logs === null) return 1;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop(EXIT_INTERRUPTED));
  console.log(`logs: ${logs}`);
  for (let loop = 0; loop < BUSY_LOOPS; loop++) startBusyLoop();
  const targets = [...Array<string>(options.runs).fill('test'), ...Array<string>(options.e2e ? E2E_RUNS : 0).fill('e2e')];
  let failures = 0;
  for (const [index, target] of targets.entries()) {
    const log = join(logs, `${index + 1}-${target}.log`);
    const { seconds, ok, totals, failures: failed } = await run(target, log);
    if (exitCode !== null) return exitCode;
    if (!ok) failures += 1;
    console.log(`${index + 1}/${targets.length} make ${target}: ${seconds} s, ${totals}${ok ? '' : `; see ${log}`}`);
    for (const line of failed) console.log(line);
  }
  stop(failures === 0 ? 0 : 1);
  console.log(failures === 0 ? `all ${targets.length} runs passed` : `${failures} of ${targets.length} runs failed`);
  return failures === 0 ? 0 : 1;
}

/** The options, or the exit code when there is nothing to run. */
function readArguments(args: readonly string[]): Options | number {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { e2e: { type: 'boolean', default: false }, logs: { type: 'string' }, help: { type: 'boolean', default: false } },
    });
    if (values.help) {
      console.log(USAGE);
      return 0;
    }
    const [runs = String(RUNS), ...others] = positionals;
    if (others.length > 0) throw new Error('one number of runs is expected');
    if (!/^\d{1,3}$/.test(runs)) throw new Error(`RUNS is a whole number of at most 3 digits, not "${runs}"`);
    if (Number(runs) === 0 && !values.e2e) throw new Error('0 runs prove nothing without --e2e');
    return { runs: Number(runs), e2e: values.e2e, logs: values.logs };
  } catch (err) {
    console.error(`${(err as Error).message}\n\n${USAGE}`);
    return EXIT_USAGE;
  }
}

/** Folder of the logs; null when it cannot be created, after printing the reason. */
function createLogFolder(given: string | undefined): string | null {
  try {
    if (given === undefined) return mkdtempSync(join(tmpdir(), 'evenkeel-prove-stable-'));
    mkdirSync(given, { recursive: true });
    return given;
  } catch (err) {
    console.error(`cannot create the folder of the logs: ${(err as Error).message}`);
    return null;
  }
}

/** Without load the runs prove nothing, so the proof ends with a busy loop. */
function startBusyLoop(): void {
  const loop = stopOnExit(fork(join(import.meta.dirname, 'busy-loop.ts'), { stdio: 'ignore' }));
  const ended = (reason: string | number | null): void => stop(1, `a busy loop ended (${reason}): later runs would be without load`);
  loop.once('error', (err) => ended(err.message));
  loop.once('exit', (code, signal) => ended(signal ?? code));
}

/** Runs one make target and writes its output to the log. The last totals that it prints count. */
async function run(target: string, log: string): Promise<Outcome> {
  const begun = performance.now();
  const output = createWriteStream(log);
  output.on('error', (err) => stop(1, `cannot write ${log}: ${err.message}`));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !UNINHERITED_VARIABLES.includes(name)));
  // In a separate process group, so that all processes of make end with it.
  const child = stopOnExit(
    spawn('make', ['--no-print-directory', target], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  let totals: RegExpExecArray | null = null;
  const failures = new Set<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => output.write(chunk));
    createInterface({ input: stream }).on('line', (line) => {
      totals = TOTALS.exec(line) ?? totals;
      // Jest prints each failure again at its end.
      if (FAILURE.test(line)) failures.add(line.replace(/ \([\d.]+ s\)$/, ''));
    });
  }
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (err) => {
      output.write(`${err.message}\n`);
      resolve(null);
    });
    child.once('close', resolve);
  });
  await new Promise((resolve) => output.end(resolve));
  const seconds = Math.round((performance.now() - begun) / 1000);
  const [line, failed] = (totals as RegExpExecArray | null) ?? ['no totals printed'];
  return { seconds, ok: code === 0 && failed === '0', totals: line, failures: [...failures] };
}

function stopOnExit<T extends ChildProcess>(child: T): T {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Ends the child processes. The first call determines the exit code and prints its reason. */
function stop(code: number, reason?: string): void {
  if (exitCode !== null) return;
  exitCode = code;
  if (reason !== undefined) console.error(reason);
  for (const child of children) {
    if (child.connected) child.disconnect();
    else endGroup(child, 'SIGTERM');
  }
  setTimeout(() => {
    for (const child of children) endGroup(child, 'SIGKILL');
  }, GRACE_MS).unref();
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (err) {
    // The group has already ended.
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
  }
}

process.exitCode = await main();
