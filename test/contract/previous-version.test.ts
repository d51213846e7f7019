// Compares this version with the previous one in test/fixtures/previous: an upgrade refuses no object that was accepted before, and a
// rollback meets no value that the previous version does not accept. docs/decisions/0020-schema-steps.md has the rule for the store.

import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { ACCEPTED_BREAKS } from '../../hack/compatibility/accepted-breaks.ts';
import { findBreaks } from '../../hack/compatibility/breaks.ts';
import { readPresentVersion, readPreviousVersion } from '../../hack/compatibility/record.ts';
import { findRefusals, type Schema } from '../../hack/compatibility/schema-differences.ts';
import { settingsAsSchema } from '../../hack/compatibility/settings-as-schema.ts';
import { loadSettings } from '../../src/runtime/options/load-settings.ts';

const previous = readPreviousVersion();
const present = readPresentVersion();

describe('this version and the previous one', () => {
  const breaks = findBreaks(previous, present);

  test('objects and settings of one are valid for the other, except for accepted breaks', () => {
    // An intended break is added to ACCEPTED_BREAKS with its reason.
    expect(breaks.filter((line) => !Object.hasOwn(ACCEPTED_BREAKS, line))).toEqual([]);
  });

  test('every accepted break exists', () => {
    expect(Object.keys(ACCEPTED_BREAKS).filter((line) => !breaks.includes(line))).toEqual([]);
  });

  test('a file with every setting at its default starts the previous version under --config-compat', () => {
    const defaults = Object.fromEntries(Object.entries(present.settings).map(([path, setting]) => [path, setting.default]));
    const file = { name: 'evenkeel.yaml', text: stringify(defaults) };
    const loaded = loadSettings({ settings: previous.settings }, { file, environment: {}, flags: [], compat: true });
    expect(loaded.ok || loaded.message).toBe(true);
  });
});

describe('a version that accepts less than the recorded one in a single place is a break', () => {
  const schemas = previous.definitions.flatMap(({ spec }) =>
    spec.versions.map(({ name, schema }) => [`${spec.names.kind} ${name}`, schema.openAPIV3Schema] as const),
  );

  test.each([...schemas, ['settings', settingsAsSchema(previous.settings)] as const])(
    '%s: a removed field or enum value, a field that becomes required, a tighter bound',
    (_what, schema) => {
      const narrower = [...narrowed(schema)];
      expect(narrower.length).toBeGreaterThan(20);
      const unnoticed = narrower.filter((each) => findRefusals(schema, each.schema, 'lost').length === 0);
      expect(unnoticed.map(({ what }) => what)).toEqual([]);
    },
  );
});

/** Every schema that differs from the given one in one thing that it no longer accepts. */
function* narrowed(schema: Schema, path = ''): Generator<{ readonly what: string; readonly schema: Schema }> {
  const { properties, items, additionalProperties, enum: values, required = [] } = schema as Narrowable;
  for (const bound of ['maximum', 'maxLength', 'maxItems', 'maxProperties'].filter((each) => typeof schema[each] === 'number')) {
    yield { what: `${path}: ${bound}`, schema: { ...schema, [bound]: Number(schema[bound]) - 1 } };
  }
  for (const value of values ?? [])
    yield { what: `${path}: ${String(value)}`, schema: { ...schema, enum: values?.filter((each) => each !== value) } };
  for (const [name, field] of Object.entries(properties ?? {})) {
    const { [name]: _gone, ...others } = properties ?? {};
    yield { what: `${path}.${name}`, schema: { ...schema, properties: others } };
    if (!required.includes(name) && field['default'] === undefined)
      yield { what: `${path}: ${name} required`, schema: { ...schema, required: [...required, name] } };
    for (const { what, schema: inner } of narrowed(field, `${path}.${name}`))
      yield { what, schema: { ...schema, properties: { ...properties, [name]: inner } } };
  }
  for (const [keyword, inner] of Object.entries({ items, additionalProperties })) {
    if (typeof inner !== 'object') continue;
    for (const each of narrowed(inner, `${path}.${keyword}`)) yield { what: each.what, schema: { ...schema, [keyword]: each.schema } };
  }
}

interface Narrowable {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
}
