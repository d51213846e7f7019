// CSV by RFC 4180, with the place of every cell, so that a problem can be reported with line and column.

export interface CsvCell {
  readonly text: string;
  /** 1 for the first character of the line. */
  readonly column: number;
}

export interface CsvRow {
  /** Line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly CsvCell[];
}

/** A problem of an input, with its place. `column` 0: the line. */
export interface CsvProblem {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

export type ParsedCsv = { readonly ok: true; readonly rows: readonly CsvRow[] } | { readonly ok: false; readonly problem: CsvProblem };

/**
 * Splits a text into rows of cells. A byte-order mark is skipped, lines end with LF or CRLF, blank lines are left out. A cell in quotes may
 * have commas, line ends and doubled quotes. Spaces around a cell without quotes are removed.
 */
export function parseCsv(text: string): ParsedCsv {
  const reader = new CsvReader(text);
  const rows: CsvRow[] = [];
  for (;;) {
    const row = reader.nextRow();
    if (row === null) return { ok: true, rows };
    if ('problem' in row) return { ok: false, problem: row };
    if (row.cells.length > 1 || row.cells[0]?.text !== '') rows.push(row);
  }
}

const BYTE_ORDER_MARK = '\uFEFF';
const QUOTE = '"';

class CsvReader {
  readonly #text: string;
  #at: number;
  #line = 1;
  #lineStart: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
    this.#lineStart = this.#at;
  }

  /** Null at the end of the text. */
  nextRow(): CsvRow | CsvProblem | null {
    if (this.#at >= this.#text.length) return null;
    const line = this.#line;
    const cells: CsvCell[] = [];
    for (;;) {
      const cell = this.#text[this.#at] === QUOTE ? this.#quotedCell() : this.#plainCell();
      if ('problem' in cell) return cell;
      cells.push(cell);
      const next = this.#text[this.#at];
      this.#at += 1;
      if (next === ',') continue;
      this.#startLine();
      return { line, cells };
    }
  }

  get #column(): number {
    return this.#at - this.#lineStart + 1;
  }

  #startLine(): void {
    this.#line += 1;
    this.#lineStart = this.#at;
  }

  #plainCell(): CsvCell | CsvProblem {
    const column = this.#column;
    const start = this.#at;
    while (this.#at < this.#text.length && this.#text[this.#at] !== ',' && this.#text[this.#at] !== '\n') {
      if (this.#text[this.#at] === QUOTE) {
        return this.#problem('has a quote inside a cell; put the whole cell in quotes and double the quotes inside it');
      }
      this.#at += 1;
    }
    return { text: this.#text.slice(start, this.#at).trim(), column };
  }

  #quotedCell(): CsvCell | CsvProblem {
    const column = this.#column;
    const opened: CsvProblem = { line: this.#line, column, problem: 'has a quote that is never closed; add the closing quote' };
    let text = '';
    this.#at += 1;
    for (;;) {
      const quote = this.#text.indexOf(QUOTE, this.#at);
      if (quote < 0) return opened;
      this.#countLines(quote);
      text += this.#text.slice(this.#at, quote);
      this.#at = quote + 1;
      if (this.#text[this.#at] !== QUOTE) break;
      text += QUOTE;
      this.#at += 1;
    }
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\r') this.#at += 1;
    const next = this.#text[this.#at];
    if (next !== undefined && next !== ',' && next !== '\n') return this.#problem('has text after a closing quote; expected a comma');
    return { text, column };
  }

  /** Counts the line ends inside a cell, up to a position. */
  #countLines(end: number): void {
    for (let at = this.#text.indexOf('\n', this.#at); at >= 0 && at < end; at = this.#text.indexOf('\n', at + 1)) {
      this.#line += 1;
      this.#lineStart = at + 1;
    }
  }

  #problem(problem: string): CsvProblem {
    return { line: this.#line, column: this.#column, problem };
  }
}
