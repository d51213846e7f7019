import { describe, expect, test } from '@jest/globals';
import { BUILT_IN_RESOURCES } from '../api/resources/descriptors.ts';
import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import { applyDefaults } from './defaults.ts';
import { SchemaRegistry } from './schema-registry.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validateAgainst } from './validate.ts';

const registry = new SchemaRegistry();

/** Every schema that can be reached from a name, with the path to it. */
function* reachable(name: string, seen = new Set<string>()): Generator<{ path: string; schema: StructuralSchema }> {
  if (seen.has(name)) return;
  seen.add(name);
  const root = registry.resolve(name);
  expect({ name, isKnown: root !== undefined }).toEqual({ name, isKnown: true });
  yield* walk(root ?? {}, name);

  function* walk(schema: StructuralSchema, path: string): Generator<{ path: string; schema: StructuralSchema }> {
    yield { path, schema };
    if (schema.$ref !== undefined) yield* reachable(schema.$ref, seen);
    for (const [field, inner] of Object.entries(schema.properties ?? {})) yield* walk(inner, `${path}.${field}`);
    if (schema.items !== undefined) yield* walk(schema.items, `${path}[]`);
    if (typeof schema.additionalProperties === 'object') yield* walk(schema.additionalProperties, `${path}{}`);
  }
}

const all = [
  ...new Map(BUILT_IN_RESOURCES.flatMap(({ schemaName }) => [...reachable(schemaName)]).map((each) => [each.path, each])).values(),
];

describe('schemas of built-in kinds', () => {
  test('describe every served resource', () => {
    for (const descriptor of BUILT_IN_RESOURCES)
      expect([descriptor.schemaName, registry.schemaFor(descriptor)]).toEqual([descriptor.schemaName, { $ref: descriptor.schemaName }]);
  });

  test('have defaults that are valid themselves', () => {
    for (const { path, schema } of all) {
      if (schema.default === undefined) continue;
      const value: unknown = structuredClone(schema.default);
      applyDefaults(schema, value, registry.resolver);
      expect([path, validateAgainst(schema, value, registry.resolver)]).toEqual([path, []]);
    }
  });

  test('declare the keys of every map list in its items', () => {
    for (const { path, schema } of all) {
      const keys = [...(schema['x-kubernetes-list-map-keys'] ?? []), ...[schema['x-kubernetes-patch-merge-key'] ?? []].flat()];
      if (keys.length === 0) continue;
      const items = schema.items?.$ref === undefined ? schema.items : registry.resolve(schema.items.$ref);
      expect([path, keys.filter((key) => items?.properties?.[key] === undefined)]).toEqual([path, []]);
    }
  });

  test('declare quantities for all resource amounts', () => {
    const quantities = all.filter(({ schema }) => schema.format === 'quantity').map(({ path }) => path);
    expect(quantities).toEqual(
      expect.arrayContaining(['io.k8s.api.core.v1.ResourceRequirements.requests{}', 'io.k8s.api.core.v1.NodeStatus.allocatable{}']),
    );
  });
});

describe('custom resources', () => {
  const descriptor: ResourceDescriptor = {
    ...BUILT_IN_RESOURCES[0]!,
    group: 'example.org',
    version: 'v1',
    plural: 'things',
    kind: 'Thing',
    schemaName: 'org.example.v1.Thing',
  };

  test('exist from registration to removal', () => {
    const own = new SchemaRegistry();
    expect(own.schemaFor(descriptor)).toBeUndefined();
    own.registerCustom(descriptor, { type: 'object' });
    expect(own.schemaFor(descriptor)).toEqual({ type: 'object' });
    own.unregisterCustom(descriptor);
    expect(own.schemaFor(descriptor)).toBeUndefined();
  });
});
