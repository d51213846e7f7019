import { expect, test } from '@jest/globals';
import { csvCell } from './csv-cell.ts';

test.each([
  ['web', 'web'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  [' web', '" web"'],
  ['=1+1', "'=1+1"],
  ['＝1', "'＝1"],
  ['-1,5', `"'-1,5"`],
])('%j is the cell %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
