import type { Command } from './command.ts';
import type { CommandLoaders } from './run-cli.ts';

/** Replaces `evenkeel demo` where the embedded cluster is not shipped. */
const demoElsewhere: Command = {
  name: 'demo',
  summary: 'run Evenkeel on an embedded cluster; in a checkout of the sources only: make demo',
  help: 'The embedded cluster is not part of this build. Run `make demo` in a checkout of the sources.',
  run: (_args, terminal) => {
    terminal.err('evenkeel demo: the embedded cluster is not part of this build; run `make demo` in a checkout of the sources');
    return Promise.resolve(2);
  },
};

/** What `evenkeel` does in the image. */
export const COMMANDS: CommandLoaders = {
  recommend: async () => (await import('./recommendations/recommend-command.ts')).recommendCommand,
  approve: async () => (await import('./recommendations/decide-commands.ts')).approveCommand,
  reject: async () => (await import('./recommendations/decide-commands.ts')).rejectCommand,
  rollback: async () => (await import('./recommendations/decide-commands.ts')).rollbackCommand,
  hold: async () => (await import('./recommendations/hold-commands.ts')).holdCommand,
  resume: async () => (await import('./recommendations/hold-commands.ts')).resumeCommand,
  backtest: async () => (await import('./backtest/command.ts')).backtestCommand,
  pack: async () => (await import('./pack/command.ts')).packCommand,
  audit: async () => (await import('./audit/command.ts')).auditCommand,
  password: async () => (await import('./password/command.ts')).passwordCommand,
  config: async () => (await import('./config/command.ts')).configCommand,
  demo: () => Promise.resolve(demoElsewhere),
  uninstall: async () => (await import('./uninstall/command.ts')).uninstallCommand,
};
