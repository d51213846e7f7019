// A CSV file with named columns: every problem of the file is reported, with line, column and field.

import { findNearest } from '../../../core/model/names/find-nearest.ts';
import { type CsvCell, type CsvRow, parseCsv } from './parse-csv.ts';

/** Reads the text of a cell. A failure states what is allowed. */
export type CellReader<T> = (text: string) => { readonly value: T } | { readonly problem: string };

export interface TableColumn<T> {
  readonly isRequired: boolean;
  readonly read: CellReader<T>;
}

export type TableColumns = Readonly<Record<string, TableColumn<unknown>>>;

/** A value by column; undefined where the table has no such column, or the cell is empty. */
export type TableRecord<C extends TableColumns> = { readonly [K in keyof C]: C[K] extends TableColumn<infer T> ? T | undefined : never };

export interface TableRow<C extends TableColumns> {
  readonly line: number;
  readonly values: TableRecord<C>;
  /** Where the cell of a column begins; 1 where the table has no such column. */
  readonly columnOf: (name: keyof C & string) => number;
}

export interface ReadTable<C extends TableColumns> {
  readonly rows: readonly TableRow<C>[];
  /** `file:line:column: field: problem`; the rows are complete where there is none. */
  readonly problems: readonly string[];
}

/** Reads a table whose first row names its columns, in any order. @param source name of the file, for problems */
export function readTable<C extends TableColumns>(source: string, text: string, columns: C): ReadTable<C> {
  const parsed = parseCsv(text);
  if (!parsed.ok) return { rows: [], problems: [placed(source, parsed.problem.line, parsed.problem.column, parsed.problem.problem)] };
  const [header, ...rows] = parsed.rows;
  if (header === undefined) {
    return { rows: [], problems: [`${source}: is empty; the first line must be ${Object.keys(columns).join(',')}`] };
  }
  const problems = headerProblems(source, header, columns);
  if (problems.length > 0) return { rows: [], problems };
  const names = header.cells.map(({ text: name }) => name);
  const read: TableRow<C>[] = [];
  for (const row of rows) {
    if (row.cells.length !== names.length) {
      problems.push(placed(source, row.line, 1, `has ${row.cells.length} cells; the header has ${names.length}`));
      continue;
    }
    const values: Record<string, unknown> = {};
    row.cells.forEach((cell, at) => {
      const name = names[at] ?? '';
      const value = readCell(cell, columns[name]);
      if ('problem' in value) problems.push(placed(source, row.line, cell.column, `${name}: ${value.problem}`));
      else values[name] = value.value;
    });
    const columnOf = (name: string): number => row.cells[names.indexOf(name)]?.column ?? 1;
    read.push({ line: row.line, values: values as TableRecord<C>, columnOf });
  }
  return { rows: read, problems };
}

function readCell({ text }: CsvCell, column: TableColumn<unknown> | undefined): { readonly value: unknown } | { readonly problem: string } {
  if (text.trim() === '') return column?.isRequired === true ? { problem: 'is missing; it is required' } : { value: undefined };
  const read = column?.read(text.trim()) ?? { value: undefined };
  return 'problem' in read ? { problem: `${JSON.stringify(shortened(text))} ${read.problem}` } : read;
}

/** Characters of a cell that a problem quotes. */
const QUOTED = 60;

function shortened(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}

function headerProblems(source: string, { line, cells }: CsvRow, columns: TableColumns): string[] {
  const known = Object.keys(columns);
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const { text, column } of cells) {
    if (!Object.hasOwn(columns, text)) {
      const near = findNearest(text, known);
      const remedy = near === undefined ? `remove it, or use one of ${known.join(', ')}` : `did you mean ${near}?`;
      problems.push(placed(source, line, column, `unknown column ${JSON.stringify(shortened(text))}; ${remedy}`));
    } else if (seen.has(text)) problems.push(placed(source, line, column, `column ${text} is given twice; remove one`));
    seen.add(text);
  }
  for (const [name, { isRequired }] of Object.entries(columns)) {
    if (isRequired && !seen.has(name)) problems.push(placed(source, line, 1, `column ${name} is missing; add it`));
  }
  return problems;
}

function placed(source: string, line: number, column: number, problem: string): string {
  return `${source}:${line}:${column}: ${problem}`;
}

/** Reads a number in decimal notation within bounds. */
export function decimal({ min, max, isWhole = false }: { min: number; max: number; isWhole?: boolean }): CellReader<number> {
  const kind = isWhole ? 'a whole number' : 'a number';
  return (text) => {
    const value = Number(text);
    const isValid = (isWhole ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(text) && value >= min && value <= max;
    return isValid ? { value } : { problem: `must be ${kind} from ${min} to ${max}` };
  };
}

/** Reads a name: at most 253 characters, as of an object of Kubernetes, without control characters. */
export function objectName(): CellReader<string> {
  return (text) => {
    if (text.length > 253) return { problem: 'must have at most 253 characters' };
    return /\p{C}/u.test(text) ? { problem: 'must have no control characters' } : { value: text };
  };
}
