import process from 'node:process';
import { findNearest } from '../core/model/names/find-nearest.ts';
import type { Command, Terminal } from './command.ts';

/** Commands by name, each loaded when it is used. */
export type CommandLoaders = Readonly<Record<string, () => Promise<Command>>>;

/** Runs the command that the arguments of this process name. Resolves with the exit code. */
export async function runCli(commands: CommandLoaders): Promise<number> {
  const [name = 'help', ...args] = process.argv.slice(2);
  const terminal = processTerminal();
  if (name === 'help' || name === '--help' || name === '-h') return help(commands, terminal);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    const near = findNearest(name, new Set(Object.keys(commands)));
    const remedy = near === undefined ? '`evenkeel help` lists them' : `did you mean ${near}?`;
    terminal.err(`evenkeel: unknown command "${name}"; ${remedy}`);
    return 2;
  }
  const command = await load();
  if (args.includes('--help') || args.includes('-h')) {
    terminal.out(command.help);
    return 0;
  }
  return command.run(args, terminal);
}

async function help(commands: CommandLoaders, terminal: Terminal): Promise<number> {
  terminal.out('evenkeel COMMAND [OPTIONS]\n');
  for (const load of Object.values(commands)) {
    const { name, summary } = await load();
    terminal.out(`  ${name.padEnd(12)}${summary}`);
  }
  terminal.out('\n`evenkeel COMMAND --help` lists the options of a command.');
  return 0;
}

/** Exit code after a closed pipe: 128 + SIGPIPE. */
const PIPE_CLOSED = 141;

function processTerminal(): Terminal {
  const interrupt = new AbortController();
  // A reader such as `head` closes the pipe early: that is no error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(PIPE_CLOSED);
      throw error;
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interrupt.signal.aborted) process.exit(1);
      interrupt.abort();
    });
  }
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    environment: process.env,
    interrupted: interrupt.signal,
  };
}
