import winston from 'winston';
import type { LogFields, Logger } from '../ports/logger.ts';
import { logField } from './logs/log-fields.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Writes one JSON object per line to `stream`: `time`, `level`, `message`, then the fields. Errors are written with name, message, causes
 * and, except a `ConfigurationError`, the stack; fields with secret names are redacted.
 */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly stream: NodeJS.WritableStream;
  readonly fields?: LogFields;
  /** Time of a log line; by default the machine's. */
  readonly now?: () => Date;
}): Logger {
  const now = options.now ?? (() => new Date());
  const winstonLogger = winston.createLogger({
    level: options.level,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston's types describe its transports as constructors of another class than its options take
    transports: [new winston.transports.Stream({ stream: options.stream })],
    format: winston.format.printf((info) => {
      const { level, message, ...fields } = info;
      return JSON.stringify({ time: now().toISOString(), level, message, ...fields }, logField);
    }),
  });
  return new WinstonLogger(winstonLogger, options.fields ?? {});
}

class WinstonLogger implements Logger {
  readonly #winston: winston.Logger;
  readonly #fields: LogFields;

  constructor(logger: winston.Logger, fields: LogFields) {
    this.#winston = logger;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new WinstonLogger(this.#winston, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    // winston appends a field `message` to the message, so the fields come first and the message replaces it.
    this.#winston.log({ ...this.#fields, ...fields, level, message });
  }
}

/** Logs nothing, for tests and tools. */
export const SILENT_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT_LOGGER,
};
