/**
 * Fields of a log line; keys are fixed words (`controller`, `object`, `reconcileId`, `durationMs`, `err`). The line's own
 * words are none of them: a field so named would be lost under the constant message.
 */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly time?: never;
  readonly level?: never;
  readonly message?: never;
};

/**
 * Structured logging. Messages are constant strings, what varies goes in fields. error: someone must act; warn: degraded
 * and heals itself; info: a decision or a change of state; debug: the rest.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Logger;
}
