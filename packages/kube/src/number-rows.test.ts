import { expect, test } from '@jest/globals';
import { NumberRows } from './number-rows.ts';

test('each row keeps its own values, also beyond the first chunk', () => {
  const rows = new NumberRows(2);
  const added = Array.from({ length: 2_500 }, () => rows.add());
  for (const row of added) rows.set(row, 1, row / 2);
  expect(added.map((row) => [rows.get(row, 0), rows.get(row, 1)])).toEqual(added.map((row) => [null, row / 2]));
});

test('a freed row is used again, without its values', () => {
  const rows = new NumberRows(1);
  const [first, second] = [rows.add(), rows.add()];
  rows.set(first, 0, 1);
  rows.set(second, 0, 2);
  rows.delete(first);
  expect(rows.add()).toBe(first);
  expect([rows.get(first, 0), rows.get(second, 0)]).toEqual([null, 2]);
});

test('null replaces a value; 0 and numbers beyond 2^32 are kept exactly', () => {
  const rows = new NumberRows(1);
  const row = rows.add();
  for (const value of [0, 1_770_000_000_123, -0.25, null]) {
    rows.set(row, 0, value);
    expect(rows.get(row, 0)).toBe(value);
  }
});

test('a row that was never added is an error', () => {
  expect(() => new NumberRows(1).get(0, 0)).toThrow('row 0 of 0 does not exist');
});
