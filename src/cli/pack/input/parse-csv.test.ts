import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCsv } from './parse-csv.ts';

const cells = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é') });
const ends = fc.constantFrom('\n', '\r\n');

test('cells in quotes are read as they were written, whatever they contain', () => {
  const tables = fc.array(fc.array(cells, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  const property = fc.property(tables, ends, fc.boolean(), (rows, end, hasMark) => {
    const lines = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
    const parsed = parseCsv(`${hasMark ? '\uFEFF' : ''}${lines.join(end)}${end}`);
    expect(parsed.ok && parsed.rows.map((row) => row.cells.map(({ text }) => text))).toEqual(rows);
  });
  fc.assert(property);
});

test('any text is read or refused with a place inside it', () => {
  const property = fc.property(fc.array(fc.oneof(cells, ends), { maxLength: 8 }), (parts) => {
    const text = parts.join('');
    const parsed = parseCsv(text);
    const places = parsed.ok
      ? parsed.rows.flatMap(({ line, cells: row }) => row.map(({ column }) => ({ line, column })))
      : [{ line: parsed.problem.line, column: parsed.problem.column }];
    for (const { line, column } of places) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(text.split('\n').length);
      expect(column).toBeGreaterThanOrEqual(1);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

test('each cell has the line and column at which it begins', () => {
  const parsed = parseCsv('a,"b\nc",d\n  e,f\n');
  expect(parsed.ok && parsed.rows).toEqual([
    {
      line: 1,
      cells: [
        { text: 'a', column: 1 },
        { text: 'b\nc', column: 3 },
        { text: 'd', column: 4 },
      ],
    },
    {
      line: 3,
      cells: [
        { text: 'e', column: 1 },
        { text: 'f', column: 5 },
      ],
    },
  ]);
});
