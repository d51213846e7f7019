import { describe, expect, test } from '@jest/globals';
import { extractSchemas } from './extract.ts';

const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const documents = {
  Pod: { properties: { spec: { allOf: [reference('Spec')], default: {} } } },
  Spec: { properties: { containers: { items: reference('Container') }, parent: reference('Pod') } },
  Container: { type: 'object' },
  Unrelated: { type: 'object' },
};

describe('extractSchemas', () => {
  test('takes what a schema refers to, at any depth, sorted by name', () => {
    expect(Object.keys(extractSchemas(documents, ['Pod']))).toEqual(['Container', 'Pod', 'Spec']);
  });

  test('names a schema that no document has', () => {
    expect(() => extractSchemas(documents, ['Node'])).toThrow('no schema Node');
  });
});
