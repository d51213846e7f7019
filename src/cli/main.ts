#!/usr/bin/env node
import process from 'node:process';
import type { Command, Terminal } from './command.ts';

/** Subcommands are loaded on demand: `evenkeel help` does not load the embedded cluster. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  backtest: async () => (await import('./backtest/command.ts')).backtestCommand,
  config: async () => (await import('./config/command.ts')).configCommand,
  demo: async () => (await import('./demo/command.ts')).demoCommand,
  uninstall: async () => (await import('./uninstall/command.ts')).uninstallCommand,
};

async function main(): Promise<number> {
  const [name = 'help', ...args] = process.argv.slice(2);
  const terminal = processTerminal();
  if (name === 'help' || name === '--help' || name === '-h') return help(terminal);
  const load = COMMANDS[name];
  if (load === undefined) {
    terminal.err(`evenkeel: unknown command "${name}"; \`evenkeel help\` lists them`);
    return 2;
  }
  const command = await load();
  if (args.includes('--help') || args.includes('-h')) {
    terminal.out(command.help);
    return 0;
  }
  return command.run(args, terminal);
}

async function help(terminal: Terminal): Promise<number> {
  terminal.out('evenkeel COMMAND [OPTIONS]\n');
  for (const load of Object.values(COMMANDS)) {
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
  // A reader such as `head` closes the pipe early, which is not an error.
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

process.exitCode = await main();
