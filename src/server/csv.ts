import type { ApiDocument } from './openapi/api-document.ts';
import { resolvedSchema } from './openapi/sections/record-fields.ts';
import type { Schema } from './openapi/schema.ts';

/** A column: its dotted name and the path to its value. */
export interface CsvColumn {
  readonly name: string;
  readonly path: readonly string[];
}

/**
 * Columns of a record by its schema, so that they do not depend on null values. Nested fields become dotted columns; arrays and maps are
 * JSON in one cell.
 */
export function csvColumns(record: Schema, schemas: ApiDocument['schemas'], path: readonly string[] = []): readonly CsvColumn[] {
  const properties = resolvedSchema(record, schemas).properties;
  if (properties === undefined) return [{ name: path.join('.'), path }];
  return Object.entries(properties).flatMap(([name, child]) => csvColumns(child, schemas, [...path, name]));
}

/** CSV of the rows of the JSON list. A text cell that a spreadsheet would evaluate as a formula gets a leading apostrophe. */
export function toCsv(rows: readonly unknown[], columns: readonly CsvColumn[]): string {
  const head = columns.map(({ name }) => name);
  const lines = [head, ...rows.map((row) => columns.map(({ path }) => cell(valueAt(row, path))))].map((cells) =>
    cells.map(quoted).join(','),
  );
  return `${lines.join('\r\n')}\r\n`;
}

function valueAt(row: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name], row);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
