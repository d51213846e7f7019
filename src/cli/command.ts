/** One subcommand of `evenkeel`. */
export interface Command {
  readonly name: string;
  /** One line for `evenkeel help`. */
  readonly summary: string;
  /** What `evenkeel NAME --help` prints. */
  readonly help: string;
  /** Resolves with the exit code: 0 done, 1 failed, 2 called wrongly, 130 interrupted before its end. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Where a command speaks: `out` for results, `err` for problems and progress. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. */
  readonly interrupted: AbortSignal;
}
