import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { COMPONENT_SCHEMAS, OPERATIONS } from './document.ts';
import { MAX_FIELD_ERRORS } from './field-errors.ts';
import { pathParametersOf, queryParametersOf } from './parameters.ts';

import { MAX_CHECKED_VALUES, requestValidator, schemaCompiler } from './validator.ts';

const schemas = [
  ...Object.entries(COMPONENT_SCHEMAS),
  ...OPERATIONS.flatMap((operation) => [
    ...[...pathParametersOf(operation), ...queryParametersOf(operation)].map(
      ({ name, schema }) => [`${operation.id}: parameter ${name}`, schema] as const,
    ),
    ...(operation.body === undefined ? [] : [[`${operation.id}: body`, operation.body] as const]),
  ]),
];

describe('the schemas of the description', () => {
  test('are valid JSON Schema 2020-12, which is not checked at runtime', () => {
    const ajv = new Ajv2020();
    addFormats.default(ajv);
    const invalid = schemas.flatMap(([name, schema]) => (ajv.validateSchema(schema) === true ? [] : [[name, ajv.errorsText()]]));
    expect(invalid).toEqual([]);
  });

  test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))('compile strictly: %s', (_id, operation) => {
    const validator = requestValidator(operation, COMPONENT_SCHEMAS, schemaCompiler(COMPONENT_SCHEMAS));
    for (const checked of [validator.path({}), validator.query(new URLSearchParams()), validator.body({})]) {
      expect(typeof checked.ok).toBe('boolean');
    }
  });
});

describe('the body of a bulk operation', () => {
  const compile = schemaCompiler(COMPONENT_SCHEMAS);
  const operation = OPERATIONS.find(({ id }) => id === 'bulkOverrides')!;
  const validator = requestValidator(operation, COMPONENT_SCHEMAS, compile);
  const detailsOf = (given: unknown) => {
    const checked = validator.body(given);
    return checked.ok ? [] : checked.details;
  };

  test.each(OPERATIONS.flatMap((each) => (each.body === undefined ? [] : [[each.id, each.body] as const])))(
    'is validated by one function, since nested calls copy all previous errors: %s',
    (_, schema) => {
      expect(JSON.stringify(compile(schema).schema)).not.toContain('$ref');
    },
  );

  test('that is too long has a thousand errors listed, with a note that there are more', () => {
    const details = detailsOf({ items: Array<number>(20_000).fill(0) });
    expect(details).toHaveLength(MAX_FIELD_ERRORS + 1);
    expect(details.slice(0, 2)).toEqual([
      { path: '/items', message: 'must have at most 500 items' },
      { path: '/items/0', message: 'must be object' },
    ]);
    expect(details.at(-1)).toEqual({ path: '', message: 'has more errors than the 1000 listed here' });
  });

  test('above the value limit has only its first error listed', () => {
    const items = Array<number>(MAX_CHECKED_VALUES).fill(0);
    expect(detailsOf({ items })).toEqual([{ path: '/items', message: 'must have at most 500 items' }]);
    expect(detailsOf({ colour: 0, items })).toHaveLength(1);
  });

  test('above the value limit is accepted where it is valid', () => {
    const floor = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`c${index}`, { cpu: '1' }]));
    const items = Array.from({ length: 500 }, (_, index) => ({ namespace: 'shop', name: `w${index}`, action: 'set', floor }));
    expect(detailsOf({ items })).toEqual([]);
  });
});
