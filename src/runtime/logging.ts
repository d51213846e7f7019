import winston from 'winston';
import type { LogFields, Logger } from '../ports/logger.ts';
import type { LineLimit, LogLine } from './logs/line-limit.ts';
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
  /** Bounds repeated lines; absent: every line is written. */
  readonly limit?: LineLimit;
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
  const write: LineWriter = ({ level: lineLevel, message, fields }) => {
    // winston appends a field `message` to the message, so the fields come first and the message replaces it.
    winstonLogger.log({ ...fields, level: lineLevel, message });
  };
  const { limit } = options;
  options.limit?.writeTo(write);
  const add: LineWriter = (line) => {
    if (limit === undefined || (winstonLogger.isLevelEnabled(line.level) && limit.admits(line))) write(line);
  };
  return new WinstonLogger(add, options.fields ?? {});
}

type LineWriter = (line: LogLine) => void;

class WinstonLogger implements Logger {
  readonly #add: LineWriter;
  readonly #fields: LogFields;

  constructor(add: LineWriter, fields: LogFields) {
    this.#add = add;
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
    return new WinstonLogger(this.#add, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    this.#add({ level, message, fields: { ...this.#fields, ...fields } });
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
