/**
 * Fields of a log line; keys are fixed words (`controller`, `object`, `reconcileId`, `durationMs`, `err`). `time`, `level` and
 * `message` are refused: the line's own value would overwrite such a field.
 */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly time?: never;
  readonly level?: never;
  readonly message?: never;
};

/**
 * Structured logging. Messages are constant strings, variable values are fields. error: an administrator must act; warn:
 * degraded, and recovers by itself; info: a decision or a change of state; debug: the rest.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds the fields to each line. */
  child(fields: LogFields): Logger;
}
