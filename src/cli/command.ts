/** One subcommand of `evenkeel`. */
export interface Command {
  readonly name: string;
  /** One line for `evenkeel help`. */
  readonly summary: string;
  /** Text of `evenkeel NAME --help`. */
  readonly help: string;
  /** Resolves with the exit code: 0 done, 1 failed, 2 usage error, 130 interrupted. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Output and environment of a command: `out` for results, `err` for problems and progress. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. */
  readonly interrupted: AbortSignal;
}
