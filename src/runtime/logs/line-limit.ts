// Bounds the lines of each kind that are logged in a minute: at 20,000 workloads one cause repeats a line thousands of times.

import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { LogFields } from '../../ports/logger.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Lines of a kind in a minute. One more line reports how many were left out. */
export const MAX_LINES_OF_KIND = 60;
/** Kinds of a message with limits of their own; all others of the message share one. */
const MAX_KINDS_OF_MESSAGE = 20;
/** Length of an error's message that distinguishes kinds. */
const MAX_ERROR_LENGTH = 300;
/** Fields with few values, which make lines of different values unlike. */
const KIND_FIELDS = ['controller', 'state', 'reason', 'event', 'outcome'] as const;

interface Kind {
  lines: number;
  last: LogLine;
}

export interface LineLimitDependencies {
  /** Calls the task after a delay, unless the process has ended. */
  readonly later: (afterMs: DurationMs, task: () => void) => void;
}

/** Decides which lines are written. Lines are of one kind where level, message, the fields with few values and the kind of error are equal. */
export class LineLimit {
  readonly #dependencies: LineLimitDependencies;
  /** Kinds of the present minute by message. */
  readonly #kinds = new Map<string, Map<string, Kind>>();

  #write: (summary: LogLine) => void = () => undefined;

  constructor(dependencies: LineLimitDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sets what writes the lines that report how many were left out. */
  writeTo(write: (summary: LogLine) => void): void {
    this.#write = write;
  }

  /** Whether a line is written. */
  admits(line: LogLine): boolean {
    if (this.#kinds.size === 0) this.#dependencies.later(MINUTE_MS, () => this.flush());
    const name = `${line.level} ${line.message}`;
    let kinds = this.#kinds.get(name);
    if (kinds === undefined) this.#kinds.set(name, (kinds = new Map<string, Kind>()));
    const own = kindOf(line);
    const key = kinds.has(own) || kinds.size < MAX_KINDS_OF_MESSAGE ? own : '';
    const kind = kinds.get(key);
    if (kind === undefined) {
      kinds.set(key, { lines: 1, last: line });
      return true;
    }
    kind.lines += 1;
    kind.last = line;
    return kind.lines <= MAX_LINES_OF_KIND;
  }

  /** Reports the lines that were not written, and begins a new minute. */
  flush(): void {
    const kinds = [...this.#kinds.values()].flatMap((each) => [...each.values()]);
    this.#kinds.clear();
    for (const { lines, last } of kinds) if (lines > MAX_LINES_OF_KIND) this.#write(summaryOf(last, lines - MAX_LINES_OF_KIND));
  }
}

function summaryOf({ level, message, fields }: LogLine, more: number): LogLine {
  return { level, message: `${message} (and ${more} more in the last minute; this is the last of them)`, fields: { ...fields, more } };
}

function kindOf({ fields }: LogLine): string {
  return [...KIND_FIELDS.map((name) => fields[name]), errorKind(fields['err'])]
    .map((value) => (typeof value === 'string' ? value : ''))
    .join('|');
}

/** Name, code and the words of the message of an error; what differs between objects, such as names and numbers, is left out. */
function errorKind(err: unknown): string {
  if (!(err instanceof Error)) return typeof err === 'string' ? wordsOf(err) : '';
  const { code } = err as { readonly code?: unknown };
  return `${err.name} ${typeof code === 'string' ? code : ''} ${wordsOf(err.message)}`;
}

function wordsOf(message: string): string {
  const words = message.slice(0, MAX_ERROR_LENGTH).split(/\s+/);
  return words.map((word) => (/[\d/"'-]/.test(word) ? '#' : word)).join(' ');
}
