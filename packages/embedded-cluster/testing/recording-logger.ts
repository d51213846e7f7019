import type { LogFields, Logger } from '../src/ports/logger.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps every line, including those of its children. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[];
  readonly #fields: LogFields;

  constructor(lines: LogLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#addLine('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#addLine('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#addLine('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#addLine('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  #addLine(level: LogLine['level'], message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
