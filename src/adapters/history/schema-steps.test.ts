import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { POSTGRES_TYPES, SCHEMA_STEPS, SQLITE_TYPES } from './schema-steps.ts';

/** A table or an index, or a column that an insert of older code can leave out. */
const ADDITION = /^create (table|index) |^alter table \w+ add column (?!.*\bnot null(?! default))/;

/** One digest per published step. A new step adds one; the others never change, since stores have run them. */
const PUBLISHED: readonly (readonly [number, string])[] = [
  [1, '1cd101732f4e52f2'],
  [2, '7a5426b012b5f713'],
  [3, 'f52a9a220ed57a0f'],
  [4, '615ae17296e82b61'],
];

const digest = (statements: readonly string[]): string => createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 16);

describe('the steps of the schema', () => {
  test('are numbered from 1 without gaps', () => {
    expect(SCHEMA_STEPS.map(({ number }) => number)).toEqual(SCHEMA_STEPS.map((_, index) => index + 1));
  });

  test.each(SCHEMA_STEPS)(
    'step $number adds only what older code can omit, or excludes older code',
    ({ number, oldestReader, statements }) => {
      const others = [SQLITE_TYPES, POSTGRES_TYPES].flatMap(statements).filter((statement) => !ADDITION.test(statement));
      expect(oldestReader).toBeLessThanOrEqual(number);
      if (oldestReader < number) expect(others).toEqual([]);
    },
  );

  test('a required column without a default is not an addition', () => {
    expect(ADDITION.test('alter table cycles add column note text not null')).toBe(false);
    expect(ADDITION.test('alter table cycles add column note text')).toBe(true);
    expect(ADDITION.test('alter table cycles add column note text not null default 0')).toBe(true);
    expect(ADDITION.test('alter table cycles drop column note')).toBe(false);
  });

  test('are unchanged since publication', () => {
    const digests = SCHEMA_STEPS.map(({ number, statements }) => [number, digest([SQLITE_TYPES, POSTGRES_TYPES].flatMap(statements))]);
    expect(digests).toEqual(PUBLISHED);
  });
});
