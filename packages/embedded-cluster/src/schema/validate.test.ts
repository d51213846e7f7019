import { describe, expect, test } from '@jest/globals';
import { SchemaRegistry } from './schema-registry.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validateAgainst } from './validate.ts';

const { resolver } = new SchemaRegistry();

function words(schema: StructuralSchema, value: unknown): string[] {
  return validateAgainst(schema, value, resolver).map(({ field, message }) => `${field}: ${message}`);
}

function inSpec(schema: StructuralSchema): StructuralSchema {
  return { type: 'object', properties: { x: schema } };
}

const ports: StructuralSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['port', 'protocol'],
  items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } } },
};

describe('validateAgainst', () => {
  test.each<[string, StructuralSchema, unknown, string[]]>([
    ['type', { type: 'integer' }, 'a', ['x: Invalid value: "string": x in body must be of type integer: "string"']],
    ['whole number', { type: 'integer' }, 1.5, ['x: Invalid value: "number": x in body must be of type integer: "number"']],
    ['null', { type: 'string' }, null, ['x: Invalid value: "null": x in body must be of type string: "null"']],
    ['allowed null', { type: 'string', nullable: true }, null, []],
    ['number takes integers', { type: 'number' }, 1, []],
    ['enum', { type: 'string', enum: ['a', 'b'] }, 'c', ['x: Unsupported value: "c": supported values: "a", "b"']],
    ['minimum', { type: 'integer', minimum: 1 }, 0, ['x: Invalid value: 0: x in body should be greater than or equal to 1']],
    [
      'exclusive minimum',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      0,
      ['x: Invalid value: 0: x in body should be greater than 0'],
    ],
    ['maximum', { type: 'number', maximum: 1 }, 1.5, ['x: Invalid value: 1.5: x in body should be less than or equal to 1']],
    [
      'exclusive maximum',
      { type: 'number', maximum: 1, exclusiveMaximum: true },
      1,
      ['x: Invalid value: 1: x in body should be less than 1'],
    ],
    ['multiple', { type: 'number', multipleOf: 0.1 }, 0.35, ['x: Invalid value: 0.35: x in body should be a multiple of 0.1']],
    ['multiple met', { type: 'number', multipleOf: 0.1 }, 0.3, []],
    [
      'int32',
      { type: 'integer', format: 'int32' },
      2 ** 31,
      ['x: Invalid value: 2147483648: x in body must be of type int32: "2147483648"'],
    ],
    ['pattern', { type: 'string', pattern: '^a+$' }, 'b', ['x: Invalid value: "b": x in body should match \'^a+$\'']],
    ['min length', { type: 'string', minLength: 1 }, '', ['x: Invalid value: "": x in body should be at least 1 chars long']],
    ['max length', { type: 'string', maxLength: 2 }, 'abc', ['x: Too long: may not be more than 2 bytes']],
    ['length in letters', { type: 'string', maxLength: 2 }, '😀😀', []],
    ['format', { type: 'string', format: 'date-time' }, 'now', ['x: Invalid value: "now": x in body must be of type date-time: "now"']],
    ['min items', { type: 'array', minItems: 1, items: {} }, [], ['x: Invalid value: 0: x in body should have at least 1 items']],
    ['max items', { type: 'array', maxItems: 1, items: {} }, [1, 2], ['x: Too many: 2: must have at most 1 items']],
    ['max properties', { type: 'object', maxProperties: 0 }, { a: 1 }, ['x: Too many: 1: must have at most 0 items']],
    ['required', { type: 'object', required: ['a', 'b'] }, { a: 1 }, ['x.b: Required value']],
    ['set', { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }, ['a', 'a'], ['x[1]: Duplicate value: "a"']],
    ['map keys', ports, [{ port: 1 }, { port: 1, protocol: 'TCP' }], ['x[1]: Duplicate value: {"port":1,"protocol":"TCP"}']],
    ['different map keys', ports, [{ port: 1 }, { port: 1, protocol: 'UDP' }], []],
    [
      'int or string',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"'],
    ],
    ['int or string met', { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, '25%', []],
    [
      'anyOf',
      { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      3,
      ['x: Invalid value: 3: x in body must validate at least one schema (anyOf)'],
    ],
    [
      'oneOf',
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1, b: 1 },
      ['x: Invalid value: "object": x in body must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    ['not', { type: 'string', not: { enum: ['a'] } }, 'a', ['x: Invalid value: "a": x in body must not validate the schema (not)']],
    [
      'entries of maps',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { a: 'b' },
      ['x.a: Invalid value: "string": x.a in body must be of type integer: "string"'],
    ],
    [
      'items',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      ['x[1]: Invalid value: "integer": x[1] in body must be of type string: "integer"'],
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(words(inSpec(schema), { x: value })).toEqual(expected);
  });

  test('reports every problem at once', () => {
    const schema = inSpec({ type: 'object', required: ['a'], properties: { b: { type: 'integer', minimum: 1 } } });
    expect(words(schema, { x: { b: 0 } })).toHaveLength(2);
  });

  test('reports the errors of a Deployment', () => {
    const deployment = {
      spec: {
        replicas: -1,
        template: { spec: { restartPolicy: 'Sometimes', containers: [{ image: 'x', resources: { limits: { cpu: 'lots' } } }] } },
      },
    };
    expect(words({ $ref: 'io.k8s.api.apps.v1.Deployment' }, deployment)).toEqual([
      'spec.selector: Required value',
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      'spec.template.spec.containers[0].name: Required value',
      'spec.template.spec.containers[0].resources.limits.cpu: Invalid value: "lots": spec.template.spec.containers[0].resources.limits.cpu in body must be of type quantity: "lots"',
    ]);
  });

  test('refuses a duplicate container', () => {
    const pod = {
      spec: {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'i' },
        ],
      },
    };
    expect(words({ $ref: 'io.k8s.api.core.v1.Pod' }, pod)).toEqual(['spec.containers[1].name: Duplicate value: "c"']);
  });

  test('allows a duplicate environment variable, as the real server does', () => {
    const pod = { spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A' }, { name: 'A' }] }] } };
    expect(words({ $ref: 'io.k8s.api.core.v1.Pod' }, pod)).toEqual([]);
  });
});
