// Child processes of a test: read line by line, waited for with a deadline, and ended with the test whatever happens.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { eventually, HANG_MS } from '../eventually.ts';

/** Root of the checkout. */
export const ROOT = join(import.meta.dirname, '..', '..');

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program of a checkout that runs. */
export class RunningProcess {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<Exit>;
  readonly #script: string;
  #exit: Exit | null = null;
  #wasEnded = false;

  constructor(script: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}, root = ROOT) {
    this.#script = script;
    const { KUBECONFIG: _theirs, ...inherited } = process.env;
    this.#child = spawn(process.execPath, [...flagsOf(script, root), join(root, script), ...args], {
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

  get running(): boolean {
    return this.#exit === null;
  }

  /** The first line on one of the streams that matches; the process may go on. Rejects when it ends without one. */
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

  /** Why it ended where nobody asked it to or waited for it, and it failed; null otherwise. */
  get ownEnd(): string | null {
    if (this.#exit === null || this.#wasEnded || this.#exit.code === 0) return null;
    return `${this.#script} ended by itself: ${JSON.stringify(this.#exit)}\n${this.recentOutput()}`;
  }

  signal(name: NodeJS.Signals): void {
    if (name !== 'SIGSTOP' && name !== 'SIGCONT') this.#wasEnded = true;
    this.#child.kill(name);
  }

  /** How the process ended, its streams read to the end. */
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

  /** SIGKILL; resolves when it has ended. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }

  /** The last lines of both streams, for messages of a failing test. */
  recentOutput(): string {
    return [...this.stdout.slice(-5), ...this.stderr.slice(-15)].map((line) => line.slice(0, 600)).join('\n');
  }
}

/** Options of Node.js with which the script of package.json starts the program; a built one has those of its source. */
function flagsOf(program: string, root: string): readonly string[] {
  const source = program.replace(/^dist\/(.*)\.js$/, 'src/$1.ts');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const command = Object.values(scripts).find((each) => each.endsWith(` ${source}`));
  if (command === undefined) throw new Error(`no script of package.json starts ${program}`);
  return command.split(' ').slice(1, -1);
}

function collect(stream: Readable | null, lines: string[]): void {
  if (stream !== null) createInterface({ input: stream }).on('line', (line) => void lines.push(line));
}

/** What one test or suite sets up and tears down: child processes, a temporary folder, and whatever `addCleanup` names. */
export class TestFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-e2e-'));
  readonly #processes = new Set<RunningProcess>();
  readonly #cleanups: (() => Promise<void> | void)[] = [];
  // A worker that is ended from outside must not leave anything running either.
  readonly #onExit = (): void => {
    for (const each of this.#processes) if (each.running) process.kill(each.pid, 'SIGKILL');
  };

  constructor() {
    process.once('exit', this.#onExit);
  }

  /**
   * A process that is killed before the cleanups that were added earlier run: a server in this process may not close while a
   * client is connecting.
   *
   * @param root of the checkout whose program it is; this one where left out
   */
  startProcess(script: string, args: readonly string[], environment?: Readonly<Record<string, string>>, root?: string): RunningProcess {
    const started = new RunningProcess(script, args, environment, root);
    this.#processes.add(started);
    this.#cleanups.push(() => started.kill());
    return started;
  }

  /** Cleanups run in reverse order. */
  addCleanup(cleanup: () => Promise<void> | void): void {
    this.#cleanups.push(cleanup);
  }

  /** Ends everything, also where a cleanup fails. Rejects where a program ended by itself with an error that no test asked for. */
  async tearDown(): Promise<void> {
    const failures: unknown[] = [...this.#processes].flatMap(({ ownEnd }) => (ownEnd === null ? [] : [new Error(ownEnd)]));
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
}
