import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { COMPONENT_SCHEMAS, OPERATIONS } from './document.ts';
import { pathParametersOf, queryParametersOf } from './parameters.ts';
import { requestValidator, schemaCompiler } from './validator.ts';

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
  test('are valid JSON Schema 2020-12, which nothing checks at run time', () => {
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
