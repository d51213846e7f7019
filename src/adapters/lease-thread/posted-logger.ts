import type { LogFields, Logger } from '../../ports/logger.ts';
import { plainFields } from '../../runtime/logs/log-fields.ts';
import type { ElectionReply, LogLevel } from './messages.ts';

/** Posts log lines to the main thread, whose logger has the level and the stream. */
export class PostedLogger implements Logger {
  readonly #post: (reply: ElectionReply) => void;
  readonly #fields: LogFields;

  constructor(post: (reply: ElectionReply) => void, fields: LogFields = {}) {
    this.#post = post;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new PostedLogger(this.#post, { ...this.#fields, ...fields });
  }

  #log(level: LogLevel, message: string, fields: LogFields | undefined): void {
    this.#post({ type: 'log', level, message, fields: plainFields({ ...this.#fields, ...fields }) });
  }
}
