import winston from 'winston';
import type { LogFields, Logger } from '../ports/logger.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Words that never belong in a log, wherever they stand in a field's name. */
const SECRET_FIELD = /token|secret|password|authorization|cookie|credential/i;

/**
 * One JSON object a line on `stream`: `time`, `level`, `message`, then the fields. Errors become name, message, stack
 * and causes; fields whose name says that they are secret are replaced.
 */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly stream: NodeJS.WritableStream;
  readonly fields?: LogFields;
  /** Domain time differs from the machine's in the embedded cluster; a log line carries the machine's. */
  readonly now?: () => Date;
}): Logger {
  const now = options.now ?? (() => new Date());
  const winstonLogger = winston.createLogger({
    level: options.level,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston's types describe its transports as constructors of another class than its options take
    transports: [new winston.transports.Stream({ stream: options.stream })],
    format: winston.format.printf((info) => {
      const { level, message, ...fields } = info;
      return JSON.stringify({ time: now().toISOString(), level, message, ...fields }, replacer);
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
    // The message stays a constant: winston would otherwise append a field of that name to it.
    this.#winston.log({ ...this.#fields, ...fields, level, message });
  }
}

function replacer(key: string, value: unknown): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'string' && SECRET_FIELD.test(key)) return '[redacted]';
  if (typeof value === 'bigint') return value.toString();
  return value;
}

function describeError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** For tests and tools that want none. */
export const SILENT_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT_LOGGER,
};
