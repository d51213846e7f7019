// The commands of docs/modes-and-approving.md, run by a shell as a reader of the page runs them.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../e2e/processes.ts';
import { HANG_MS } from '../eventually.ts';

export interface PageRow {
  readonly cells: readonly string[];
  /** The texts in backquotes of the row. */
  readonly code: readonly string[];
}

/** The commands of a page, and which of them no test has run. */
export class DocumentedCommands {
  /** Rows of the tables. */
  readonly rows: readonly PageRow[];
  /** Lines of the `sh` blocks, without comments. */
  readonly lines: readonly string[];
  readonly text: string;
  readonly #unused: Set<string>;

  constructor(page: string) {
    this.text = readFileSync(join(ROOT, page), 'utf8');
    this.rows = [...this.text.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => ({
      cells: row.split('|').map((cell) => cell.trim()),
      code: codeIn(row),
    }));
    const blocks = [...this.text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
    this.lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line !== '' && !line.startsWith('#'));
    const commands = this.rows.flatMap(({ code }) => code).filter((each) => each.startsWith('evenkeel '));
    this.#unused = new Set([...commands, ...this.lines]);
  }

  /** Commands of the page that no test has asked for. */
  get unused(): readonly string[] {
    return [...this.#unused];
  }

  /** The command in the table's row that begins with these words. @throws where there is none */
  command(task: string): string {
    const row = this.rows.find(({ cells }) => cells[0] === task);
    return this.#use(
      task,
      row?.code.find((code) => code.startsWith('evenkeel ')),
    );
  }

  /** The only line that matches. @throws where there is none, or several */
  line(pattern: RegExp): string {
    const [line, ...others] = this.lines.filter((each) => pattern.test(each));
    return this.#use(String(pattern), others.length === 0 ? line : undefined);
  }

  #use(wanted: string, command: string | undefined): string {
    if (command === undefined) throw new Error(`the page has not exactly one command like ${wanted}`);
    this.#unused.delete(command);
    return command;
  }
}

/** The texts in backquotes. */
export function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

export interface ShellResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A reader's shell: bash with the compiled `evenkeel` and kubectl in its PATH, and a kubeconfig. */
export class ReadersShell {
  readonly #environment: NodeJS.ProcessEnv;

  /** @param folder for the programs and the reader's files */
  constructor(folder: string, { kubectl, kubeconfig }: { readonly kubectl: string; readonly kubeconfig: string }) {
    const programs = join(folder, 'bin');
    mkdirSync(programs, { recursive: true });
    symlinkSync(kubectl, join(programs, 'kubectl'));
    const script = `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${join(ROOT, 'dist/cli/main.js')}' "$@"\n`;
    writeFileSync(join(programs, 'evenkeel'), script, { mode: 0o755 });
    this.#environment = {
      ...process.env,
      PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`,
      KUBECONFIG: kubeconfig,
      KUBECACHEDIR: join(folder, 'kube-cache'),
    };
  }

  run(command: string): Promise<ShellResult> {
    const options = { cwd: ROOT, env: this.#environment, timeout: HANG_MS };
    return new Promise((resolve) => {
      execFile('bash', ['-eu', '-o', 'pipefail', '-c', command], options, (err, stdout, stderr) => {
        resolve({ code: err === null ? 0 : Number(err.code ?? -1), stdout, stderr });
      });
    });
  }

  /** Standard output of a command that must succeed. */
  async succeed(command: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command);
    if (code !== 0) throw new Error(`${command}: exit code ${code}: ${stderr}\n${stdout}`);
    return stdout;
  }

  /** Standard error of a command that must be refused. */
  async refuse(command: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command);
    if (code !== 1) throw new Error(`${command}: exit code ${code} instead of 1: ${stderr}\n${stdout}`);
    return stderr;
  }
}
