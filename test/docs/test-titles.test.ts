import { expect, test } from '@jest/globals';
import { titlesOf } from './test-titles.ts';

test.each([
  ["test('is raised', () => {});", ['is raised']],
  ["describe('a limit', () => { it('is kept', () => {}); rule('is a rule', () => {}); });", ['a limit', 'is kept', 'is a rule']],
  ["test.each([['of CPU', 1], ['of memory', 2]])('%s', () => {});", ['%s', 'of CPU', 'of memory']],
  ["// test('is raised')\nexpect(message).toBe('is raised');", []],
  ["const cases = [['is raised']];", []],
])('titles of %j', (source, titles) => {
  expect(titlesOf(source)).toEqual(titles);
});
