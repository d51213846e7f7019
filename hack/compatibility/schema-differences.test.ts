import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { prune } from '#embedded-cluster/schema/prune';
import { validateAgainst } from '#embedded-cluster/schema/validate';
import { findChangedDefaults, findRefusals, type Schema } from './schema-differences.ts';

const text: Schema = { type: 'string' };
const object = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
const rule = (text: string): Schema => object({}, { 'x-kubernetes-validations': [{ rule: text, message: 'Fails.' }] });

const refusals = (from: Schema, to: Schema): readonly string[] =>
  findRefusals(from, to, 'lost').map(({ path, message }) => `${path}: ${message}`);

describe('a schema that refuses or prunes what another allows', () => {
  test.each<[what: string, from: Schema, to: Schema, line: string]>([
    ['a field is removed', object({ a: text, b: text }), object({ a: text }), ': b is unknown'],
    ['a field is renamed', object({ a: object({ old: text }) }), object({ a: object({ new: text }) }), 'a: old is unknown'],
    ['fields of any name are', object({}, { additionalProperties: text }), object({}), ': fields of any name are unknown'],
    ['unknown fields are no longer kept', { 'x-kubernetes-preserve-unknown-fields': true }, {}, ': fields of any name are unknown'],
    ['a type changes', object({ a: { type: 'array', items: text } }), object({ a: text }), 'a: type string instead of array'],
    ['a number becomes an integer', { type: 'number' }, { type: 'integer' }, ': type integer instead of number'],
    ['a percentage is', { 'x-kubernetes-int-or-string': true }, text, ': type string instead of integer or string'],
    ['any type becomes a string', {}, text, ': type string instead of any'],
    ['an enum value is removed', { ...text, enum: ['a', 'b'] }, { ...text, enum: ['b', 'c'] }, ': value "a" is not in the enum'],
    ['an enum is added', text, { ...text, enum: ['a'] }, ': enum ["a"] instead of any value'],
    ['a field becomes required', object({ a: text }), object({ a: text }, { required: ['a'] }), ': a is required'],
    ['a required field is added', object({}), object({ a: text }, { required: ['a'] }), ': a is required'],
    ['a maximum falls', { type: 'integer', maximum: 10 }, { type: 'integer', maximum: 5 }, ': maximum 5 instead of 10'],
    ['a minimum is added', { type: 'integer' }, { type: 'integer', minimum: 0 }, ': minimum 0 instead of none'],
    [
      'a text is shorter',
      object({ a: { ...text, maxLength: 9 } }),
      object({ a: { ...text, maxLength: 8 } }),
      'a: maxLength 8 instead of 9',
    ],
    ['a pattern changes', { ...text, pattern: '^a' }, { ...text, pattern: '^b' }, ': pattern "^b" instead of "^a"'],
    ['a format is added', text, { ...text, format: 'date-time' }, ': format "date-time" instead of none'],
    ['null is no longer allowed', { ...text, nullable: true }, text, ': null is not allowed'],
    ['a rule is added', object({}), rule('has(self.a)'), ': rule has(self.a) is not in the other schema'],
    [
      'items change',
      { type: 'array', items: { ...text, maxLength: 9 } },
      { type: 'array', items: { ...text, maxLength: 8 } },
      '[]: maxLength 8',
    ],
    [
      'values of a map',
      { additionalProperties: { type: 'integer' } },
      { additionalProperties: text },
      '{}: type string instead of integer',
    ],
    [
      'a free field gets a type',
      { additionalProperties: { type: 'integer' } },
      object({ a: text }, { additionalProperties: {} }),
      'a: type string',
    ],
    [
      'a list merges by another key',
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['b'] },
      ': x-kubernetes-list-map-keys ["b"] instead of ["a"]',
    ],
  ])('%s', (_what, from, to, line) => {
    expect(refusals(from, to)).toContainEqual(expect.stringContaining(line));
    expect(refusals(from, from)).toEqual([]);
  });

  test.each<[what: string, from: Schema, to: Schema]>([
    ['a field is added', object({}), object({ a: text })],
    ['a required field is added that has a default', object({}), object({ a: { ...text, default: '' } }, { required: ['a'] })],
    ['a field is no longer required', object({ a: text }, { required: ['a'] }), object({ a: text })],
    ['an enum value is added', { ...text, enum: ['a'] }, { ...text, enum: ['a', 'b'] }],
    ['a maximum rises', { type: 'integer', maximum: 5 }, { type: 'integer', maximum: 10 }],
    ['an integer may be any number', { type: 'integer' }, { type: 'number' }],
    ['a count may be a percentage', { type: 'integer' }, { 'x-kubernetes-int-or-string': true }],
    ['a rule is removed', rule('has(self.a)'), object({})],
    ['a rule has another message', rule('true'), object({}, { 'x-kubernetes-validations': [{ rule: 'true', message: 'Other.' }] })],
    ['a field has another description', object({ a: { ...text, description: 'A.' } }), object({ a: { ...text, description: 'B.' } })],
    ['a field moves to a map that takes it', object({ a: text }), object({}, { additionalProperties: text })],
  ])('does not when %s', (_what, from, to) => {
    expect(refusals(from, to)).toEqual([]);
  });

  test('a field that only one schema has is ignored by a reader without it', () => {
    expect(findRefusals(object({ a: object({ b: text, c: text }), d: text }), object({ a: object({ b: text }) }), 'ignored')).toEqual([]);
  });

  test('a keyword that is not compared, or a bound that is not a number, stops the comparison', () => {
    expect(() => refusals(text, { ...text, contentEncoding: 'base64' })).toThrow('the keyword contentEncoding is not compared yet');
    expect(() => refusals(text, object({ a: text }, { exclusiveMinimum: true }))).toThrow('exclusiveMinimum true is not compared');
  });

  test('a changed, added or removed default of a known field is a difference, and that of a new field is not', () => {
    const of = (a: Schema, more: Readonly<Record<string, Schema>> = {}): Schema => object({ a: { ...text, ...a }, ...more });
    expect(findChangedDefaults(of({ default: 'x' }), of({ default: 'y' }))).toEqual([{ path: 'a', message: 'default "y" instead of "x"' }]);
    expect(findChangedDefaults(of({ default: 'x' }), of({}))).toEqual([{ path: 'a', message: 'default none instead of "x"' }]);
    expect(findChangedDefaults(of({}), of({ default: 'y' }))).toEqual([{ path: 'a', message: 'default "y" instead of none' }]);
    expect(findChangedDefaults(of({}), of({}, { b: { ...text, default: 'y' } }))).toEqual([]);
  });
});

/** Small enough that random values are often valid, and that two schemas often differ in a single keyword. */
type Twins = readonly [from: Schema, to: Schema];

const bound = fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined });
const leaves: fc.Arbitrary<Schema> = fc.oneof(
  bounds('integer', ['minimum', 'maximum']),
  bounds('number', ['minimum', 'maximum']),
  bounds('string', ['minLength', 'maxLength']),
  fc.constantFrom<Schema>({ type: 'string', pattern: '^a' }, { type: 'string', pattern: 'b$' }, { ...text, nullable: true }, text),
  fc.subarray(['a', 'ab', 'b'], { minLength: 1 }).map((names) => ({ type: 'string', enum: names })),
  fc.constantFrom<Schema>({ 'x-kubernetes-int-or-string': true }, { 'x-kubernetes-preserve-unknown-fields': true }, {}),
);
const { twins } = fc.letrec<{ twins: Twins; objects: Twins; maps: Twins; arrays: Twins }>((tie) => ({
  twins: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(leaves, leaves),
    leaves.map((leaf): Twins => [leaf, leaf]),
    tie('objects'),
    tie('maps'),
    tie('arrays'),
  ),
  objects: fc
    .tuple(fc.record({ a: tie('twins'), b: tie('twins') }), fc.array(fc.subarray(['a', 'b']), { minLength: 4, maxLength: 4 }))
    .map(([fields, [known = [], required = [], knownToo = [], requiredToo = []]]): Twins => {
      const schemaOf = (side: 0 | 1, names: readonly string[], needed: readonly string[]): Schema =>
        object(Object.fromEntries(names.map((name) => [name, fields[name as 'a' | 'b'][side]])), { required: needed });
      return [schemaOf(0, known, required), schemaOf(1, knownToo, requiredToo)];
    }),
  maps: tie('twins').map(([from, to]): Twins => [
    object({}, { additionalProperties: from }),
    object({ a: from }, { additionalProperties: to }),
  ]),
  arrays: fc
    .tuple(tie('twins'), bounds('array', ['minItems', 'maxItems']), bounds('array', ['minItems', 'maxItems']))
    .map(([[from, to], outer, outerToo]): Twins => [
      { ...outer, items: from },
      { ...outerToo, items: to },
    ]),
}));
const { values } = fc.letrec<{ values: unknown }>((tie) => ({
  values: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>('a', 'b', 'ab', '', 0, 1, 2, 3, 1.5, null, true),
    fc.array(tie('values'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('values'), { noNullPrototype: true }),
  ),
}));

function bounds(type: string, keywords: readonly string[]): fc.Arbitrary<Schema> {
  const record = fc.record(Object.fromEntries(keywords.map((keyword) => [keyword, bound])));
  return record.map((drawn) => ({ type, ...Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) }));
}

describe('two schemas without a difference', () => {
  test('every value that one allows is allowed by the other, without pruning', () => {
    let compared = 0;
    fc.assert(
      fc.property(twins, fc.array(values, { minLength: 5, maxLength: 15 }), ([from, to], drawn) => {
        if (findRefusals(from, to, 'lost').length > 0) return;
        for (const value of drawn.filter((value) => isKept(from, value))) {
          compared += 1;
          expect([value, isKept(to, value)]).toEqual([value, true]);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

/** Whether the server accepts the value without pruning. */
function isKept(schema: Schema, value: unknown): boolean {
  const none = (): undefined => undefined;
  return validateAgainst(schema, value, none).length === 0 && prune(schema, structuredClone(value), none).length === 0;
}
