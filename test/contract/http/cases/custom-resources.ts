// Custom resources: validation, pruning, defaults, CEL, and their subresources.

import { expect } from '@jest/globals';
import { area, expectRefusal, succeeded, type CaseContext } from '../contract-case.ts';
import { aGauge, defineGauge, type CustomKind } from '../custom-kinds.ts';
import type { Json, RawResponse } from '../raw-client.ts';

const object = (properties: Json, rest: Json = {}): Json => ({ type: 'object', properties, ...rest });

/** A schema with every keyword. */
const LEVELS = object(
  {
    level: { type: 'integer', minimum: 1, maximum: 10 },
    ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
    color: { type: 'string', enum: ['blue', 'red'] },
    code: { type: 'string', pattern: '^[a-z]{3}$' },
    label: { type: 'string', minLength: 2, maxLength: 4 },
    tags: { type: 'array', maxItems: 2, 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    few: { type: 'array', minItems: 1, items: { type: 'string' } },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: object({ name: { type: 'string' }, weight: { type: 'integer' } }, { required: ['name'] }),
    },
    port: { 'x-kubernetes-int-or-string': true },
    at: { type: 'string', format: 'date-time' },
    maybe: { type: 'string', nullable: true },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    byName: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 },
    on: { type: 'boolean' },
  },
  { required: ['level'] },
);

/** `[spec, field, reason, message]` */
const INVALID: Readonly<Record<string, readonly [Json, string, string, string]>> = {
  'a missing required field': [{}, 'spec.level', 'FieldValueRequired', 'spec.level: Required value'],
  'a string instead of a number': [
    { level: 'high' },
    'spec.level',
    'FieldValueTypeInvalid',
    'spec.level: Invalid value: "string": spec.level in body must be of type integer: "string"',
  ],
  'a fraction instead of an integer': [
    { level: 1.5 },
    'spec.level',
    'FieldValueTypeInvalid',
    'spec.level in body must be of type integer: "number"',
  ],
  'a number instead of a boolean': [
    { level: 1, on: 1 },
    'spec.on',
    'FieldValueTypeInvalid',
    'spec.on in body must be of type boolean: "integer"',
  ],
  'an object instead of a list': [
    { level: 1, tags: {} },
    'spec.tags',
    'FieldValueTypeInvalid',
    'spec.tags in body must be of type array: "object"',
  ],
  'less than the minimum': [
    { level: 0 },
    'spec.level',
    'FieldValueInvalid',
    'spec.level: Invalid value: 0: spec.level in body should be greater than or equal to 1',
  ],
  'more than the maximum': [
    { level: 11 },
    'spec.level',
    'FieldValueInvalid',
    'spec.level: Invalid value: 11: spec.level in body should be less than or equal to 10',
  ],
  'an exclusive minimum': [{ level: 1, ratio: 0 }, 'spec.ratio', 'FieldValueInvalid', 'spec.ratio in body should be greater than 0'],
  'no multiple': [{ level: 1, ratio: 0.7 }, 'spec.ratio', 'FieldValueInvalid', 'spec.ratio in body should be a multiple of 0.5'],
  'a value that is not in the enum': [
    { level: 1, color: 'green' },
    'spec.color',
    'FieldValueNotSupported',
    'spec.color: Unsupported value: "green": supported values: "blue", "red"',
  ],
  'a string that does not match the pattern': [
    { level: 1, code: 'ABC' },
    'spec.code',
    'FieldValueInvalid',
    "spec.code in body should match '^[a-z]{3}$'",
  ],
  'a string that is too short': [
    { level: 1, label: 'a' },
    'spec.label',
    'FieldValueInvalid',
    'spec.label in body should be at least 2 chars long',
  ],
  'a string that is too long': [
    { level: 1, label: 'abcde' },
    'spec.label',
    'FieldValueTooLong',
    'spec.label: Too long: may not be more than 4 bytes',
  ],
  'too many items': [
    { level: 1, tags: ['a', 'b', 'c'] },
    'spec.tags',
    'FieldValueTooMany',
    'spec.tags: Too many: 3: must have at most 2 items',
  ],
  'too few items': [{ level: 1, few: [] }, 'spec.few', 'FieldValueInvalid', 'spec.few in body should have at least 1 items'],
  'the same item twice in a set': [
    { level: 1, tags: ['a', 'a'] },
    'spec.tags[1]',
    'FieldValueDuplicate',
    'spec.tags[1]: Duplicate value: "a"',
  ],
  'the same key twice in a map list': [
    { level: 1, parts: [{ name: 'a' }, { name: 'a' }] },
    'spec.parts[1]',
    'FieldValueDuplicate',
    'spec.parts[1]: Duplicate value: {"name":"a"}',
  ],
  'an item without its key': [
    { level: 1, parts: [{ weight: 1 }] },
    'spec.parts[0].name',
    'FieldValueRequired',
    'spec.parts[0].name: Required value',
  ],
  'an invalid time': [{ level: 1, at: 'noon' }, 'spec.at', 'FieldValueTypeInvalid', 'spec.at in body must be of type date-time: "noon"'],
  'too many properties': [
    { level: 1, byName: { a: 1, b: 2, c: 3 } },
    'spec.byName',
    'FieldValueTooMany',
    'spec.byName: Too many: 3: must have at most 2 items',
  ],
  'a map value of another type': [
    { level: 1, byName: { a: 'x' } },
    'spec.byName.a',
    'FieldValueTypeInvalid',
    'spec.byName.a in body must be of type integer: "string"',
  ],
  'a boolean instead of an integer or a string': [
    { level: 1, port: true },
    'spec.port',
    'FieldValueTypeInvalid',
    'spec.port in body must be of type integer,string: "boolean"',
  ],
};

/** A kind with a CEL rule, and values that satisfy and violate it. */
interface RuleCase {
  readonly spec: Json;
  readonly good: Json;
  readonly bad: Json;
  readonly field: string;
  readonly words: string;
}

const level = { type: 'integer' };
const rule = (text: string, more: Json = {}): Json => ({ 'x-kubernetes-validations': [{ rule: text, ...more }] });

const CEL: Readonly<Record<string, RuleCase>> = {
  'a rule over two fields': {
    spec: object({ min: level, max: level }, rule('self.min <= self.max', { message: 'min must not be greater than max' })),
    good: { min: 1, max: 2 },
    bad: { min: 3, max: 2 },
    field: 'spec',
    words: 'spec: Invalid value: min must not be greater than max',
  },
  'without a message the rule itself is reported': {
    spec: object({ level }, rule('self.level > 1')),
    good: { level: 2 },
    bad: { level: 1 },
    field: 'spec',
    words: 'failed rule: self.level > 1',
  },
  'a messageExpression': {
    spec: object(
      { name: { type: 'string', maxLength: 20 } },
      rule("self.name != 'a'", { messageExpression: '"not the name " + self.name' }),
    ),
    good: { name: 'b' },
    bad: { name: 'a' },
    field: 'spec',
    words: 'spec: Invalid value: not the name a',
  },
  'the error of a rule on a string contains the string': {
    spec: object({ name: { type: 'string', maxLength: 20, ...rule("self != 'a'", { message: 'another one' }) } }),
    good: { name: 'b' },
    bad: { name: 'a' },
    field: 'spec.name',
    words: 'spec.name: Invalid value: "a": another one',
  },
  'the error of a rule on a list does not contain the list': {
    spec: object({ list: { type: 'array', maxItems: 5, items: level, ...rule('size(self) < 2', { message: 'one item' }) } }),
    good: { list: [1] },
    bad: { list: [1, 2] },
    field: 'spec.list',
    words: 'spec.list: Invalid value: one item',
  },
  'a fieldPath points into the object': {
    spec: object({ level }, rule('self.level > 1', { fieldPath: '.level', message: 'too low' })),
    good: { level: 2 },
    bad: { level: 1 },
    field: 'spec.level',
    words: 'spec.level: Invalid value: too low',
  },
  'a rule on a value, its path in the message': {
    spec: object({ level: { ...level, ...rule('self % 2 == 0', { message: 'must be even' }) } }),
    good: { level: 2 },
    bad: { level: 3 },
    field: 'spec.level',
    words: 'must be even',
  },
  'has() of an omitted field': {
    spec: object({ a: level, b: level }, rule('has(self.a) != has(self.b)', { message: 'a or b' })),
    good: { a: 1 },
    bad: { a: 1, b: 2 },
    field: 'spec',
    words: 'a or b',
  },
  'all() over a list': {
    spec: object({ list: { type: 'array', maxItems: 5, items: level } }, rule('self.list.all(each, each > 0)', { message: 'all above 0' })),
    good: { list: [1, 2] },
    bad: { list: [1, 0] },
    field: 'spec',
    words: 'all above 0',
  },
  'exists_one() and filter() over objects': {
    spec: object(
      { parts: { type: 'array', maxItems: 5, items: object({ main: { type: 'boolean' } }) } },
      rule('self.parts.exists_one(part, part.main) && size(self.parts.filter(part, !part.main)) < 2', { message: 'one main part' }),
    ),
    good: { parts: [{ main: true }, { main: false }] },
    bad: { parts: [{ main: true }, { main: true }] },
    field: 'spec',
    words: 'one main part',
  },
  'matches(), startsWith() and size() of strings': {
    spec: object({
      name: {
        type: 'string',
        maxLength: 20,
        ...rule("self.matches('^[a-z]+$') && self.startsWith('a') && size(self) > 1", { message: 'name' }),
      },
    }),
    good: { name: 'abc' },
    bad: { name: 'bcd' },
    field: 'spec.name',
    words: 'name',
  },
  'quantity() compares quantities': {
    spec: object(
      { min: { type: 'string', maxLength: 20 }, max: { type: 'string', maxLength: 20 } },
      rule('quantity(self.min).compareTo(quantity(self.max)) <= 0', { message: 'min above max' }),
    ),
    good: { min: '900m', max: '1' },
    bad: { min: '1Gi', max: '100Mi' },
    field: 'spec',
    words: 'min above max',
  },
  'values of a map by key': {
    spec: object(
      { byName: { type: 'object', maxProperties: 5, additionalProperties: level } },
      rule("!('a' in self.byName) || self.byName['a'] > 0", { message: 'a above 0' }),
    ),
    good: { byName: { b: 0 } },
    bad: { byName: { a: 0 } },
    field: 'spec',
    words: 'a above 0',
  },
  'a rule over a defaulted field': {
    spec: object({ level: { ...level, default: 5 }, max: level }, rule('self.level <= self.max', { message: 'above max' })),
    good: { max: 5 },
    bad: { max: 4 },
    field: 'spec',
    words: 'above max',
  },
};

async function make(given: CaseContext, kind: CustomKind, spec: Json, query: Record<string, string> = {}): Promise<RawResponse> {
  return given.client.post(kind.collection, aGauge(kind, 'a', { spec }), { query });
}

const STATUS = { subresources: { status: {} } };
const SCALE = {
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
  },
};
const REPLICAS = object({ replicas: level, note: { type: 'string' } });

export const CUSTOM_RESOURCE_CASES = area('custom resources', {
  ...Object.fromEntries(
    Object.entries(INVALID).map(([fault, [spec, field, reason, words]]) => [
      `422 for ${fault}`,
      async (given: CaseContext) => {
        const answer = await make(given, await defineGauge(given, { spec: LEVELS }), spec);
        expectRefusal(answer, 422, 'Invalid', words);
        expect(answer.body.details.causes).toEqual(expect.arrayContaining([expect.objectContaining({ field, reason })]));
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(CEL).map(([name, { spec, good, bad, field, words }]) => [
      `CEL: ${name}`,
      async (given: CaseContext) => {
        const kind = await defineGauge(given, { spec });
        const refused = await make(given, kind, bad);
        expectRefusal(refused, 422, 'Invalid', words);
        expect(refused.body.details.causes.map((cause: Json) => [cause.reason, cause.field])).toContainEqual(['FieldValueInvalid', field]);
        expect((await make(given, kind, good)).status).toBe(201);
      },
    ]),
  ),
  'every valid value of a schema is accepted': async (given) => {
    const spec = {
      level: 10,
      ratio: 1.5,
      color: 'red',
      code: 'abc',
      label: 'abcd',
      tags: ['a', 'b'],
      few: ['a'],
      parts: [{ name: 'a', weight: 1 }, { name: 'b' }],
      port: 'http',
      at: '2026-01-01T00:00:00Z',
      maybe: null,
      open: { anything: [1, { at: 'all' }] },
      byName: { a: 1 },
      on: false,
    };
    const answer = await make(given, await defineGauge(given, { spec: LEVELS }), spec);
    expect([answer.status, answer.body.spec]).toEqual([201, spec]);
  },
  'an error names kind, group and every field': async (given) => {
    const kind = await defineGauge(given, { spec: LEVELS });
    const answer = await make(given, kind, { level: 0, color: 'green' });
    expectRefusal(answer, 422, 'Invalid', `Gauge.${kind.group} "a" is invalid: [`);
    expect(answer.body.details).toMatchObject({ name: 'a', group: kind.group, kind: 'Gauge' });
    expect(answer.body.details.causes.map((cause: Json) => cause.field).sort()).toEqual(['spec.color', 'spec.level']);
  },
  'unknown fields are pruned, with a warning': async (given) => {
    const answer = await make(given, await defineGauge(given, { spec: LEVELS }), { level: 1, height: 2 });
    expect([answer.status, answer.body.spec, answer.warnings]).toEqual([201, { level: 1 }, ['unknown field "spec.height"']]);
  },
  'Strict: unknown fields are 400': async (given) => {
    const answer = await make(given, await defineGauge(given, { spec: LEVELS }), { level: 1, height: 2 }, { fieldValidation: 'Strict' });
    expectRefusal(answer, 400, 'BadRequest', 'strict decoding error: unknown field "spec.height"');
  },
  'Ignore: unknown fields are pruned without a warning': async (given) => {
    const answer = await make(given, await defineGauge(given, { spec: LEVELS }), { level: 1, height: 2 }, { fieldValidation: 'Ignore' });
    expect([answer.status, answer.body.spec, answer.warnings]).toEqual([201, { level: 1 }, []]);
  },
  'unknown fields are kept with x-kubernetes-preserve-unknown-fields': async (given) => {
    const answer = await make(given, await defineGauge(given, { spec: LEVELS }), { level: 1, open: { height: 2 } });
    expect([answer.body.spec, answer.warnings]).toEqual([{ level: 1, open: { height: 2 } }, []]);
  },
  'unknown fields inside of lists are pruned': async (given) => {
    const answer = await make(given, await defineGauge(given, { spec: LEVELS }), { level: 1, parts: [{ name: 'a', size: 1 }] });
    expect([answer.body.spec.parts, answer.warnings]).toEqual([[{ name: 'a' }], ['unknown field "spec.parts[0].size"']]);
  },
  'a patch prunes, too': async (given) => {
    const kind = await defineGauge(given, { spec: LEVELS });
    await make(given, kind, { level: 1 });
    const answer = await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { height: 1 } });
    expect([answer.status, answer.body.spec]).toEqual([200, { level: 1 }]);
  },
  'null is dropped where a field cannot be null': async (given) => {
    const kind = await defineGauge(given, {
      spec: object({ level: { type: 'integer', default: 3 }, maybe: { type: 'string', nullable: true } }),
    });
    const answer = await make(given, kind, { level: null, maybe: null });
    expect(answer.body.spec).toEqual({ level: 3, maybe: null });
  },
  'defaults are set in present objects': async (given) => {
    const spec = object({
      level: { type: 'integer', default: 3 },
      inner: object({ size: { type: 'integer', default: 7 } }),
      list: { type: 'array', items: object({ on: { type: 'boolean', default: true } }) },
    });
    const kind = await defineGauge(given, { spec });
    const answer = await make(given, kind, { inner: {}, list: [{}] });
    expect(answer.body.spec).toEqual({ level: 3, inner: { size: 7 }, list: [{ on: true }] });
  },
  'defaults do not create absent objects': async (given) => {
    const kind = await defineGauge(given, { spec: object({ inner: object({ size: { type: 'integer', default: 7 } }) }) });
    expect((await make(given, kind, {})).body.spec).toEqual({});
  },
  'a default of an object also gets the defaults inside it': async (given) => {
    const kind = await defineGauge(given, { spec: object({ inner: object({ size: { type: 'integer', default: 7 } }, { default: {} }) }) });
    expect((await make(given, kind, {})).body.spec).toEqual({ inner: { size: 7 } });
  },
  'a value takes precedence over the default': async (given) => {
    const kind = await defineGauge(given, {
      spec: object({ level: { type: 'integer', default: 3 }, on: { type: 'boolean', default: true } }),
    });
    expect((await make(given, kind, { level: 0, on: false })).body.spec).toEqual({ level: 0, on: false });
  },
  'a default that is added later applies to existing objects on read': async (given) => {
    const kind = await defineGauge(given, { spec: object({ level }) });
    await make(given, kind, {});
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/level/default';
    succeeded(await given.client.patch(kind.definition, 'json', [{ op: 'add', path, value: 5 }]), 'patch');
    await given.eventually(
      'the default is applied: the changed schema comes into force',
      async () => (await given.client.get(`${kind.collection}/a`)).body.spec.level === 5,
    );
  },
  'CEL, transition: a value may not decrease': async (given) => {
    const kind = await defineGauge(given, {
      spec: object({ level: { ...level, ...rule('self >= oldSelf', { message: 'must not fall' }) } }),
    });
    expect((await make(given, kind, { level: 2 })).status).toBe(201);
    expect((await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { level: 3 } })).status).toBe(200);
    const answer = await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { level: 1 } });
    expectRefusal(answer, 422, 'Invalid', 'spec.level: Invalid value: 1: must not fall');
  },
  'CEL, transition: an immutable field': async (given) => {
    const fixed = { type: 'string', ...rule('self == oldSelf', { message: 'cannot change', reason: 'FieldValueForbidden' }) };
    const kind = await defineGauge(given, { spec: object({ fixed, free: level }) });
    await make(given, kind, { fixed: 'x' });
    expect((await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { free: 1 } })).status).toBe(200);
    const answer = await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { fixed: 'y' } });
    expectRefusal(answer, 422, 'Invalid', 'spec.fixed: Forbidden: cannot change');
    expect(answer.body.details.causes[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'spec.fixed' });
  },
  'CEL, transition: a rule on a new field is not evaluated': async (given) => {
    const kind = await defineGauge(given, { spec: object({ fixed: { type: 'string', ...rule('self == oldSelf') }, free: level }) });
    await make(given, kind, {});
    expect((await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { fixed: 'x' } })).status).toBe(200);
  },
  'CEL, transition: items of a map list are compared by key': async (given) => {
    const items = object(
      { name: { type: 'string', maxLength: 5 }, size: { ...level, ...rule('self >= oldSelf', { message: 'must not shrink' }) } },
      { required: ['name'] },
    );
    const parts = { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items };
    const kind = await defineGauge(given, { spec: object({ parts }) });
    await make(given, kind, {
      parts: [
        { name: 'a', size: 5 },
        { name: 'b', size: 1 },
      ],
    });
    const swapped = {
      spec: {
        parts: [
          { name: 'b', size: 1 },
          { name: 'a', size: 5 },
        ],
      },
    };
    expect((await given.client.patch(`${kind.collection}/a`, 'merge', swapped)).status).toBe(200);
    const answer = await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { parts: [{ name: 'a', size: 4 }] } });
    expectRefusal(answer, 422, 'Invalid', 'must not shrink');
    expect(answer.body.details.causes[0].field).toBe('spec.parts[0].size');
  },
  'a granular map without entries after an apply is null, an atomic one is empty': async (given) => {
    const counts = { type: 'object', additionalProperties: { type: 'integer' } };
    const kind = await defineGauge(given, { spec: object({ free: counts, whole: { ...counts, 'x-kubernetes-map-type': 'atomic' } }) });
    const apply = (spec: Json) =>
      given.client.patch(`${kind.collection}/a`, 'apply', aGauge(kind, 'a', { spec }), { query: { fieldManager: 'contract' } });
    succeeded(await apply({ free: { a: 1 }, whole: { a: 1 } }), 'apply');
    expect((await apply({ free: { a: 1 }, whole: {} })).body.spec).toEqual({ free: { a: 1 }, whole: {} });
    const message = 'spec.free: Invalid value: "null": spec.free in body must be of type object: "null"';
    expectRefusal(await apply({ free: {}, whole: {} }), 422, 'Invalid', message);
    expect((await apply({ whole: {} })).body.spec).toEqual({ whole: {} });
  },
  'CEL, transition: optionalOldSelf rules also run on create': async (given) => {
    const fixed = { ...level, ...rule('oldSelf.hasValue() || self == 1', { message: 'begins at 1', optionalOldSelf: true }) };
    const kind = await defineGauge(given, { spec: object({ fixed }) });
    expectRefusal(await make(given, kind, { fixed: 2 }), 422, 'Invalid', 'begins at 1');
    expect((await make(given, kind, { fixed: 1 })).status).toBe(201);
    expect((await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { fixed: 2 } })).status).toBe(200);
  },
  'an unchanged invalid field does not prevent an update (ratcheting)': async (given) => {
    const kind = await defineGauge(given, { spec: object({ level, note: { type: 'string' } }) });
    await make(given, kind, { level: 11 });
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/level/maximum';
    succeeded(await given.client.patch(kind.definition, 'json', [{ op: 'add', path, value: 10 }]), 'patch');
    await given.eventually('the maximum is enforced: the changed schema comes into force', async () => {
      const query = { dryRun: 'All' };
      return (await given.client.post(kind.collection, aGauge(kind, 'b', { spec: { level: 11 } }), { query })).status === 422;
    });
    expect((await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { note: 'still' } })).status).toBe(200);
    expectRefusal(await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { level: 12 } }), 422, 'Invalid', 'spec.level');
  },
  'an update without a resourceVersion is 422': async (given) => {
    const kind = await defineGauge(given);
    await make(given, kind, {});
    const answer = await given.client.put(`${kind.collection}/a`, aGauge(kind, 'a', { spec: {} }));
    expectRefusal(
      answer,
      422,
      'Invalid',
      `gauges.${kind.group} "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    );
  },
  'a strategic merge patch is 415': async (given) => {
    const kind = await defineGauge(given);
    await make(given, kind, {});
    expectRefusal(await given.client.patch(`${kind.collection}/a`, 'strategic', { spec: {} }), 415, 'UnsupportedMediaType');
  },
  'generation starts at 1 and changes with the spec only': async (given) => {
    const kind = await defineGauge(given, { version: STATUS });
    expect((await make(given, kind, { level: 1 })).body.metadata.generation).toBe(1);
    const path = `${kind.collection}/a`;
    expect((await given.client.patch(path, 'merge', { metadata: { labels: { a: 'b' } } })).body.metadata.generation).toBe(1);
    expect((await given.client.patch(`${path}/status`, 'merge', { status: { seen: 1 } })).body.metadata.generation).toBe(1);
    expect((await given.client.patch(path, 'merge', { spec: { level: 2 } })).body.metadata.generation).toBe(2);
  },
  'without a status subresource generation changes with everything but metadata': async (given) => {
    const kind = await defineGauge(given);
    await make(given, kind, {});
    const answer = await given.client.patch(`${kind.collection}/a`, 'merge', { status: { seen: 1 } });
    expect([answer.body.status, answer.body.metadata.generation]).toEqual([{ seen: 1 }, 2]);
  },
  'with a status subresource, a create ignores the status': async (given) => {
    const kind = await defineGauge(given, { version: STATUS });
    const made = await given.create(kind.collection, aGauge(kind, 'a', { spec: {}, status: { seen: 1 } }));
    expect(made.status).toBeUndefined();
  },
  'with a status subresource, an update ignores the status': async (given) => {
    const kind = await defineGauge(given, { version: STATUS });
    await make(given, kind, {});
    const answer = await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { level: 1 }, status: { seen: 1 } });
    expect([answer.body.spec, answer.body.status]).toEqual([{ level: 1 }, undefined]);
  },
  'a status update ignores everything but the status': async (given) => {
    const kind = await defineGauge(given, { version: STATUS });
    const made = (await make(given, kind, { level: 1 })).body;
    made.spec.level = 2;
    made.metadata.labels = { a: 'b' };
    made.status = { seen: 1 };
    const { status, body } = await given.client.put(`${kind.collection}/a/status`, made);
    expect([status, body.spec, body.status, body.metadata.labels]).toEqual([200, { level: 1 }, { seen: 1 }, undefined]);
  },
  'the status can be read at its path': async (given) => {
    const kind = await defineGauge(given, { version: STATUS });
    await make(given, kind, { level: 1 });
    const { status, body } = await given.client.get(`${kind.collection}/a/status`);
    expect([status, body.kind, body.spec]).toEqual([200, 'Gauge', { level: 1 }]);
  },
  'without a status subresource its path does not exist': async (given) => {
    const kind = await defineGauge(given);
    await make(given, kind, {});
    expect((await given.client.get(`${kind.collection}/a/status`)).status).toBe(404);
  },
  'a status is validated with the schema': async (given) => {
    const schema = object({ spec: object({}), status: object({ seen: { type: 'integer', minimum: 0 } }) });
    const kind = await defineGauge(given, { schema, version: STATUS });
    await make(given, kind, {});
    const answer = await given.client.patch(`${kind.collection}/a/status`, 'merge', { status: { seen: -1 } });
    expectRefusal(answer, 422, 'Invalid', 'seen in body should be greater than or equal to 0');
    expect(answer.body.details.causes).toEqual([expect.objectContaining({ reason: 'FieldValueInvalid', field: 'status.seen' })]);
  },
  'scale shows the replicas of spec and status, and the selector': async (given) => {
    const kind = await defineGauge(given, {
      schema: object({ spec: REPLICAS, status: object({ replicas: level, selector: { type: 'string' } }) }),
      version: SCALE,
    });
    await make(given, kind, { replicas: 3 });
    succeeded(await given.client.patch(`${kind.collection}/a/status`, 'merge', { status: { replicas: 2, selector: 'app=a' } }), 'status');
    const { body } = await given.client.get(`${kind.collection}/a/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', namespace: await given.namespace() },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'app=a' },
    });
  },
  'scale sets only spec.replicas': async (given) => {
    const kind = await defineGauge(given, { spec: REPLICAS, version: SCALE });
    await make(given, kind, { replicas: 3, note: 'kept' });
    const scaled = await given.client.patch(`${kind.collection}/a/scale`, 'merge', { spec: { replicas: 5 } });
    expect([scaled.status, scaled.body.kind, scaled.body.spec]).toEqual([200, 'Scale', { replicas: 5 }]);
    const { body } = await given.client.get(`${kind.collection}/a`);
    expect([body.spec, body.metadata.generation]).toEqual([{ replicas: 5, note: 'kept' }, 2]);
  },
  'scale refuses a negative number': async (given) => {
    const kind = await defineGauge(given, { spec: REPLICAS, version: SCALE });
    await make(given, kind, { replicas: 3 });
    const answer = await given.client.patch(`${kind.collection}/a/scale`, 'merge', { spec: { replicas: -1 } });
    expectRefusal(answer, 422, 'Invalid', 'spec.replicas: Invalid value: -1: should be a non-negative integer');
  },
  'selectable fields can be used in field selectors': async (given) => {
    const version = { selectableFields: [{ jsonPath: '.spec.color' }] };
    const kind = await defineGauge(given, { spec: object({ color: { type: 'string' }, level }), version });
    await given.create(kind.collection, aGauge(kind, 'blue', { spec: { color: 'blue' } }));
    await given.create(kind.collection, aGauge(kind, 'red', { spec: { color: 'red' } }));
    const { body } = await given.client.get(kind.collection, { fieldSelector: 'spec.color=red' });
    expect(body.items.map((item: Json) => item.metadata.name)).toEqual(['red']);
    expectRefusal(
      await given.client.get(kind.collection, { fieldSelector: 'spec.level=1' }),
      400,
      'BadRequest',
      'field label not supported: spec.level',
    );
  },
  'objects in a list have kind and apiVersion': async (given) => {
    const kind = await defineGauge(given);
    await make(given, kind, {});
    const { body } = await given.client.get(kind.collection);
    expect([body.kind, body.items.map((item: Json) => [item.kind, item.apiVersion])]).toEqual(['GaugeList', [['Gauge', kind.apiVersion]]]);
  },
  'a cluster-scoped kind has no namespaces': async (given) => {
    const kind = await defineGauge(given, { scope: 'Cluster' });
    const made = await given.create(kind.collection, aGauge(kind, 'a'));
    expect(made.metadata.namespace).toBeUndefined();
    expect((await given.client.get(`/apis/${kind.group}/v1/namespaces/default/gauges`)).status).toBe(404);
  },
});
