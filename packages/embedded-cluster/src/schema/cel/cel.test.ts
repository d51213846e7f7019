import { describe, expect, test } from '@jest/globals';
import { evaluateRules } from './cel.ts';
import type { CelRule, StructuralSchema } from '../structural-schema.ts';

const nothing = (): undefined => undefined;

/** Schema of `{ x: … }` with one rule on x. */
function ruled(x: StructuralSchema, rule: string, more: Partial<CelRule> = {}): StructuralSchema {
  return { type: 'object', properties: { x: { ...x, 'x-kubernetes-validations': [{ rule, ...more }] } } };
}

function words(schema: StructuralSchema, value: unknown, old?: unknown): string[] {
  return evaluateRules(schema, value, old, nothing).map(({ field, message }) => `${field}: ${message}`);
}

const text: StructuralSchema = { type: 'string' };
const whole: StructuralSchema = { type: 'integer' };
const texts: StructuralSchema = { type: 'array', items: text };
const intOrString: StructuralSchema = { 'x-kubernetes-int-or-string': true };

describe('rules hold', () => {
  test.each<[string, StructuralSchema, string, unknown]>([
    ['integers compare as integers', whole, 'self >= 1 && self % 2 == 0', 4],
    ['doubles compare as doubles', { type: 'number' }, 'self < 1.5', 1],
    ['quantities', text, 'quantity(self).isGreaterThan(quantity("500m")) && quantity(self).compareTo(quantity("1k")) < 0', '1'],
    ['quantity of a number or text', intOrString, 'type(self) == int ? self > 0 : isQuantity(self)', '100m'],
    ['quantity of a number', intOrString, 'type(self) == int ? self > 0 : isQuantity(self)', 5],
    ['quantity arithmetic', text, 'quantity(self).add(quantity("1Gi")).sub(quantity("1Gi")) == quantity(self)', '2Gi'],
    ['durations', text, 'duration(self) >= duration("1m") && duration(self) < duration("2h")', '1h30m'],
    ['dates by their format', { type: 'string', format: 'date-time' }, 'self > timestamp("2020-01-01T00:00:00Z")', '2026-01-01T00:00:00Z'],
    ['durations by their format', { type: 'string', format: 'duration' }, 'self < duration("1h")', '5m'],
    ['sorted lists', texts, 'self.isSorted()', ['a', 'b', 'b']],
    ['sums and extremes', { type: 'array', items: whole }, 'self.sum() == 6 && self.min() == 1 && self.max() == 3', [1, 2, 3]],
    ['places in lists', texts, 'self.indexOf("b") == 1 && self.lastIndexOf("a") == 2 && self.indexOf("z") == -1', ['a', 'b', 'a']],
    ['sets', texts, 'sets.contains(self, ["a"]) && sets.equivalent(self, ["b", "a"]) && sets.intersects(self, ["b", "c"])', ['a', 'b']],
    [
      'regular expressions',
      text,
      'self.find("[0-9]+") == "12" && self.findAll("[0-9]+") == ["12", "3"] && self.findAll("[0-9]+", 1).size() == 1',
      'a12b3',
    ],
    ['strings', text, 'self.lowerAscii().replace("b", "x").split(",").join("-") == "a-x" && self.trim().substring(0, 1) == "A"', 'A,B'],
    ['format', text, '"%s has %d of %.1f".format([self, 3, 1.25]).endsWith("3 of 1.3")', 'x'],
    [
      'URLs',
      text,
      'isURL(self) && url(self).getScheme() == "https" && url(self).getHostname() == "example.org"',
      'https://example.org:8443/x',
    ],
    ['addresses', text, 'isIP(self) && ip(self).family() == 4 && !isCIDR(self) && isCIDR("10.0.0.0/8")', '10.0.0.1'],
    ['keys of maps', { type: 'object', additionalProperties: text }, 'self.all(k, k.size() < 3 && self[k] != "")', { a: 'b' }],
    [
      'absent fields',
      { type: 'object', properties: { a: text, b: text } },
      'has(self.a) && !has(self.b) && self.?b.orValue("z") == "z"',
      { a: '1' },
    ],
    [
      'fields with names that CEL cannot say',
      { type: 'object', properties: { 'a-b': whole, namespace: text } },
      'self.a__dash__b == 1 && self.__namespace__ == "n"',
      { 'a-b': 1, namespace: 'n' },
    ],
    [
      'comprehensions',
      { type: 'array', items: { type: 'object', properties: { n: whole } } },
      'self.map(i, i.n).sum() == 3 && self.exists_one(i, i.n == 1)',
      [{ n: 1 }, { n: 2 }],
    ],
  ])('%s', (_, schema, rule, x) => {
    expect(words(ruled(schema, rule), { x })).toEqual([]);
  });
});

describe('violated rules', () => {
  test.each<[string, Partial<CelRule>, string[]]>([
    ['say the rule', {}, ['x: Invalid value: failed rule: self.a < self.b']],
    ['say the message', { message: 'a must be below b' }, ['x: Invalid value: a must be below b']],
    ['say a computed message', { message: 'm', messageExpression: '"a is %d".format([self.a])' }, ['x: Invalid value: a is 2']],
    ['fall back when the computed message fails', { message: 'm', messageExpression: '"" + self.c' }, ['x: Invalid value: m']],
    ['name a field', { message: 'm', fieldPath: '.a' }, ['x.a: Invalid value: m']],
    ['forbid', { message: 'm', reason: 'FieldValueForbidden' }, ['x: Forbidden: m']],
    ['require', { message: 'm', reason: 'FieldValueRequired', fieldPath: '.c' }, ['x.c: Required value: m']],
  ])('%s', (_, more, expected) => {
    const schema = ruled({ type: 'object', properties: { a: whole, b: whole, c: text } }, 'self.a < self.b', more);
    expect(words(schema, { x: { a: 2, b: 1 } })).toEqual(expected);
  });

  test('show a scalar unchanged, and fail when they cannot be evaluated', () => {
    expect(words(ruled(whole, 'self > 5'), { x: 3 })).toEqual(['x: Invalid value: 3: failed rule: self > 5']);
    expect(words(ruled({ type: 'object', properties: { a: whole } }, 'self.a > 1'), { x: {} })).toEqual([
      'x: Invalid value: "object": No such key: a evaluating rule: self.a > 1',
    ]);
  });

  test('apply at every level', () => {
    const item: StructuralSchema = { ...text, 'x-kubernetes-validations': [{ rule: 'self.startsWith("a")', message: 'm' }] };
    const schema: StructuralSchema = {
      type: 'object',
      'x-kubernetes-validations': [{ rule: 'self.metadata.name == "n" && self.kind == "K"', message: 'root' }],
      properties: { list: { type: 'array', items: item }, map: { type: 'object', additionalProperties: item } },
    };
    const value = { kind: 'K', metadata: { name: 'other' }, list: ['a', 'b'], map: { k: 'c' } };
    expect(words(schema, value)).toEqual(['<nil>: Invalid value: root', 'list[1]: Invalid value: "b": m', 'map.k: Invalid value: "c": m']);
  });
});

describe('transition rules', () => {
  const immutable = ruled(text, 'self == oldSelf', { message: 'cannot be changed' });

  test('are skipped without an old value', () => {
    expect(words(immutable, { x: 'a' })).toEqual([]);
    expect(words(immutable, { x: 'a' }, {})).toEqual([]);
    expect(words(immutable, { x: 'a' }, { x: 'a' })).toEqual([]);
    expect(words(immutable, { x: 'b' }, { x: 'a' })).toEqual(['x: Invalid value: "b": cannot be changed']);
  });

  test('run without one with optionalOldSelf', () => {
    const schema = ruled(text, 'oldSelf.hasValue() || self == "first"', { optionalOldSelf: true, message: 'm' });
    expect(words(schema, { x: 'first' })).toEqual([]);
    expect(words(schema, { x: 'other' })).toEqual(['x: Invalid value: "other": m']);
    expect(words(schema, { x: 'other' }, { x: 'first' })).toEqual([]);
  });

  test('correlate items of keyed lists only', () => {
    const items: StructuralSchema = {
      type: 'object',
      properties: { name: text, size: whole },
      'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size', message: 'cannot shrink' }],
    };
    const keyed: StructuralSchema = {
      type: 'object',
      properties: { x: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items } },
    };
    const old = {
      x: [
        { name: 'a', size: 5 },
        { name: 'b', size: 1 },
      ],
    };
    const value = {
      x: [
        { name: 'b', size: 2 },
        { name: 'a', size: 4 },
      ],
    };
    expect(words(keyed, value, old)).toEqual(['x[1]: Invalid value: cannot shrink']);
    expect(words({ type: 'object', properties: { x: { type: 'array', items } } }, value, old)).toEqual([]);
  });
});
