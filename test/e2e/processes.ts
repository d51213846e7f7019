// Child processes of a test: read line by line, awaited with a deadline, and always ended with the test.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { eventually, HANG_MS } from '../eventually.ts';
import { findSecrets } from '../fakes/known-secrets.ts';

/** Root of the checkout. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Signals that end no process: SIGUSR2 blocks one that has loaded block-main-thread.ts. */
const HARMLESS_SIGNALS: readonly NodeJS.Signals[] = ['SIGSTOP', 'SIGCONT', 'SIGUSR2'];

/** How a process ended: with a code or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How a program is started; all have defaults. */
export interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Checkout of the program; default: this one. */
  readonly root?: string;
  /** A command that executes the rest of its arguments, in the same process. */
  readonly launcher?: readonly string[];
}

/** A running program of a checkout. */
export class RunningProcess {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<Exit>;
  readonly script: string;
  #exit: Exit | null = null;
  #wasEnded = false;

  constructor(script: string, args: readonly string[], { environment = {}, root = ROOT, launcher = [] }: StartOptions = {}) {
    this.script = script;
    const { KUBECONFIG: _theirs, ...inherited } = process.env;
    const [program = '', ...line] = [...launcher, process.execPath, ...flagsOf(script, root), join(root, script), ...args];
    this.#child = spawn(program, line, {
      cwd: root,
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    collect(this.#child.stdout, this.stdout);
    collect(this.#child.stderr, this.stderr);
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#exit = { code, signal };
        resolve(this.#exit);
      });
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the process did not start');
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#exit === null;
  }

  /** The first matching line of a stream; the process may still run. Rejects when the process ends without one. */
  async line(stream: 'stdout' | 'stderr', pattern: RegExp, withinMs = HANG_MS): Promise<RegExpExecArray> {
    try {
      const found = await eventually(`a line on ${stream} like ${String(pattern)}: the program prints it, or ends`, withinMs, () => {
        for (const line of this[stream]) {
          const match = pattern.exec(line);
          if (match !== null) return match;
        }
        return this.#exit ?? undefined;
      });
      if ('code' in found) throw new Error(`no line on ${stream} like ${String(pattern)}: the process ended: ${JSON.stringify(found)}`);
      return found;
    } catch (cause) {
      throw new Error(`${String(cause)}\n${this.recentOutput()}`, { cause });
    }
  }

  /** Error when the process failed without having been signalled or awaited; null otherwise. */
  get ownEnd(): string | null {
    if (this.#exit === null || this.#wasEnded || this.#exit.code === 0) return null;
    return `${this.script} ended by itself: ${JSON.stringify(this.#exit)}\n${this.recentOutput()}`;
  }

  signal(name: NodeJS.Signals): void {
    if (!HARMLESS_SIGNALS.includes(name)) this.#wasEnded = true;
    this.#child.kill(name);
  }

  /** Exit of the process, after its streams were read to the end. */
  async exit(withinMs = HANG_MS): Promise<Exit> {
    this.#wasEnded = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the process did not end within ${withinMs} ms\n${this.recentOutput()}`)), withinMs);
    });
    try {
      return await Promise.race([this.#exited, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends SIGKILL and resolves when the process has ended. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }

  /** The last lines of both streams, for error messages. */
  recentOutput(): string {
    return [...this.stdout.slice(-5), ...this.stderr.slice(-15)].map((line) => line.slice(0, 600)).join('\n');
  }
}

/** Node.js options of the package.json script that starts the program; a compiled one uses those of its source. */
function flagsOf(program: string, root: string): readonly string[] {
  const source = program.replace(/^dist\/(.*)\.js$/, 'src/$1.ts');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const command = Object.values(scripts).find((script) => script.endsWith(` ${source}`));
  if (command === undefined) throw new Error(`no script of package.json starts ${program}`);
  return command.split(' ').slice(1, -1);
}

function collect(stream: Readable | null, lines: string[]): void {
  if (stream !== null) createInterface({ input: stream }).on('line', (line) => void lines.push(line));
}

/** Set-up and tear-down of a test or suite: child processes, a temporary folder, and cleanups. */
export class TestFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-e2e-'));
  readonly #processes = new Set<RunningProcess>();
  readonly #cleanups: (() => Promise<void> | void)[] = [];
  readonly #outputs: { readonly where: string; readonly text: string }[] = [];
  // Ends the processes also when Jest ends the worker.
  readonly #onExit = (): void => {
    for (const running of this.#processes) if (running.isRunning) process.kill(running.pid, 'SIGKILL');
  };

  constructor() {
    process.once('exit', this.#onExit);
  }

  /**
   * Starts a process that is killed before the cleanups that were added earlier: a server in this process may not close while a client
   * connects.
   */
  startProcess(script: string, args: readonly string[], options?: StartOptions): RunningProcess {
    const started = new RunningProcess(script, args, options);
    this.#processes.add(started);
    this.#cleanups.push(() => started.kill());
    return started;
  }

  /** Adds a cleanup; they run in reverse order. */
  addCleanup(cleanup: () => Promise<void> | void): void {
    this.#cleanups.push(cleanup);
  }

  /** Adds an answer or object in which no registered secret may be. */
  recordOutput(where: string, text: string): void {
    this.#outputs.push({ where, text });
  }

  /**
   * Ends everything, even when a cleanup fails. Rejects when a process failed by itself and no test expected it, and when a registered secret
   * is in the output of a process or in a recorded one.
   */
  async tearDown(): Promise<void> {
    const failures: unknown[] = [...this.#processes].flatMap(({ ownEnd }) => (ownEnd === null ? [] : [new Error(ownEnd)]));
    failures.push(...this.#findSecrets().map((hit) => new Error(hit)));
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanup();
      } catch (err) {
        failures.push(err);
      }
    }
    process.removeListener('exit', this.#onExit);
    rmSync(this.folder, { recursive: true, force: true });
    if (failures.length > 0) throw new AggregateError(failures, `tearing down the fixture:\n${failures.map(String).join('\n')}`);
  }

  #findSecrets(): readonly string[] {
    return [
      ...[...this.#processes].flatMap(({ script, stdout, stderr }) => findSecrets(`the output of ${script}`, [...stdout, ...stderr])),
      ...this.#outputs.flatMap(({ where, text }) => findSecrets(where, [text])),
    ];
  }
}
