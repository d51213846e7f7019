import { describe, expect, test } from '@jest/globals';
import { prune } from './prune.ts';
import { SchemaRegistry } from './schema-registry.ts';
import type { StructuralSchema } from './structural-schema.ts';

const nothing = (): undefined => undefined;

describe('prune', () => {
  test('prunes undeclared fields and reports their paths', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } } } },
      },
    };
    const value = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', odd: 1 }, spec: { list: [{ a: 'x', b: 1 }], foo: {} }, other: 1 };
    expect(prune(schema, value, nothing)).toEqual(['spec.list[0].b', 'spec.foo', 'other']);
    expect(value).toEqual({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', odd: 1 }, spec: { list: [{ a: 'x' }] } });
  });

  test('keeps entries of maps and preserved unknown fields, but prunes inside declared ones', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'object', properties: {} } } },
      },
    };
    const value = { labels: { a: 'b' }, free: { any: { thing: 1 }, known: { no: 1 } } };
    expect(prune(schema, value, nothing)).toEqual(['free.known.no']);
    expect(value).toEqual({ labels: { a: 'b' }, free: { any: { thing: 1 }, known: {} } });
  });

  test('keeps the identity of an embedded resource', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: { template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } } },
    };
    const value = { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: {} } };
    expect(prune(schema, value, nothing)).toEqual(['template.status']);
  });

  test('keeps the metadata of built-in kinds', () => {
    const { resolver } = new SchemaRegistry();
    const value = { metadata: { name: 'x', colour: 'red' }, spec: { containers: [{ name: 'c', imgae: 'x' }] } };
    expect(prune({ $ref: 'io.k8s.api.core.v1.Pod' }, value, resolver)).toEqual(['metadata.colour', 'spec.containers[0].imgae']);
  });
});
