/**
 * Fields of a log line; keys are fixed names (`controller`, `object`, `reconcileId`, `durationMs`, `err`). Keys of the line itself are
 * reserved: a field with such a name would be overwritten.
 */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly time?: never;
  readonly level?: never;
  readonly message?: never;
};

/**
 * Structured logging. Messages are constant strings, and variable parts are fields. error: an operator must act; warn: degraded, recovers
 * without intervention; info: a decision or a change of state; debug: the rest.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Logger;
}
