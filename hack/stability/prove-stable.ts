// hack/prove-stable: whole test runs in a row beside busy loops. A test that depends on the speed of the machine fails here.

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const USAGE = `usage: hack/prove-stable [RUNS] [--e2e] [--logs FOLDER]

  RUNS           runs of make test (default: 5)
  --e2e          then also run make e2e twice
  --logs FOLDER  where each run's output is kept (default: a new temporary folder)

Two busy loops run beside the tests. Prints a line per run and fails where one failed.`;

/** Called wrongly. */
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;
const RUNS = 5;
const E2E_RUNS = 2;
/** One for each core of the smallest machine that the tests are to pass on. */
const BUSY_LOOPS = 2;
/** For make and Jest to end what they started. */
const GRACE_MS = 15_000;

interface Options {
  readonly runs: number;
  readonly e2e: boolean;
  readonly logs: string;
}

interface Outcome {
  readonly seconds: number;
  readonly ok: boolean;
  readonly totals: string;
}

/** What runs at this moment, and is ended with this process. */
const children = new Set<ChildProcess>();
let interrupted = false;

async function main(): Promise<number> {
  const options = readArguments(process.argv.slice(2));
  if (options === null) return EXIT_USAGE;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      interrupted = true;
      endAll();
    });
  }
  console.log(`logs: ${options.logs}`);
  for (let loop = 0; loop < BUSY_LOOPS; loop++) keep(fork(join(import.meta.dirname, 'busy-loop.ts'), { stdio: 'ignore' }));
  const targets = [...Array<string>(options.runs).fill('test'), ...Array<string>(options.e2e ? E2E_RUNS : 0).fill('e2e')];
  let failures = 0;
  for (const [index, target] of targets.entries()) {
    const log = join(options.logs, `${index + 1}-${target}.log`);
    const { seconds, ok, totals } = await run(target, log);
    if (interrupted) break;
    if (!ok) failures += 1;
    console.log(`${index + 1}/${targets.length} make ${target}: ${seconds} s, ${totals}${ok ? '' : `; see ${log}`}`);
  }
  endAll();
  if (interrupted) return EXIT_INTERRUPTED;
  console.log(failures === 0 ? `all ${targets.length} runs passed` : `${failures} of ${targets.length} runs failed`);
  return failures === 0 ? 0 : 1;
}

/** null: called wrongly or asked for help, and answered. */
function readArguments(args: readonly string[]): Options | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { e2e: { type: 'boolean', default: false }, logs: { type: 'string' }, help: { type: 'boolean', default: false } },
    });
    const [runs = String(RUNS), ...others] = positionals;
    if (values.help || others.length > 0 || !/^\d{1,3}$/.test(runs)) throw new Error(USAGE);
    if (values.logs !== undefined) mkdirSync(values.logs, { recursive: true });
    return { runs: Number(runs), e2e: values.e2e, logs: values.logs ?? mkdtempSync(join(tmpdir(), 'evenkeel-prove-stable-')) };
  } catch (err) {
    console.error((err as Error).message);
    return null;
  }
}

/** One make target, its output kept. The last totals that it prints are its own. */
async function run(target: string, log: string): Promise<Outcome> {
  const begun = performance.now();
  const output = createWriteStream(log);
  // In a process group of its own, so that what make starts ends with it.
  const child = keep(spawn('make', ['--no-print-directory', target], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
  let totals = 'no totals printed';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.write(text);
      totals = /(?:[\s\S]*\n|^)(\d+ passed, \d+ failed)/.exec(text)?.[1] ?? totals;
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
  return { seconds: Math.round((performance.now() - begun) / 1000), ok: code === 0 && totals.endsWith(' 0 failed'), totals };
}

function keep(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Ends what this process started and nothing else. What does not end by itself is killed. */
function endAll(): void {
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
    // It has ended meanwhile.
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
  }
}

process.exitCode = await main();
