import { describe, expect, test } from '@jest/globals';
import { BUILT_IN_RESOURCES } from '../../api/resources/descriptors.ts';
import type { ResourceDescriptor } from '../../api/resource-descriptor.ts';
import { openApiV2Document, openApiV3Document, openApiV3Index } from './openapi.ts';
import { SchemaRegistry } from '../schema-registry.ts';

/** As a client gets it. */
const asWire = (value: unknown) => JSON.parse(JSON.stringify(value));

const registry = new SchemaRegistry();
const apps = BUILT_IN_RESOURCES.filter(({ group }) => group === 'apps');

const custom: ResourceDescriptor = {
  ...apps[0]!,
  group: 'example.org',
  version: 'v1',
  kind: 'Thing',
  listKind: 'ThingList',
  plural: 'things',
  schemaName: 'org.example.v1.Thing',
};

/** Every `$ref` in a document. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner)));
}

describe('OpenAPI v3', () => {
  test('lists the paths of the documents', () => {
    expect(openApiV3Index(['v1', 'apps/v1'], 'A1')).toEqual({
      paths: {
        'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=A1' },
        'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=A1' },
      },
    });
  });

  test('describes every schema that is referred to', () => {
    const document = asWire(openApiV3Document('apps/v1', apps, registry));
    const known = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`));
    expect(referencesIn(document).filter((reference) => !known.has(reference))).toEqual([]);
    expect(known.size).toBeGreaterThan(100);
  });

  test('lets kubectl find the kind, field validation and strategic merge', () => {
    const document = asWire(openApiV3Document('apps/v1', apps, registry));
    const { patch } = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'];
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain('fieldValidation');
    expect(Object.keys(patch.requestBody.content)).toContain('application/strategic-merge-patch+json');
    const deployment = document.components.schemas['io.k8s.api.apps.v1.Deployment'];
    expect(deployment['x-kubernetes-group-version-kind']).toEqual([{ group: 'apps', version: 'v1', kind: 'Deployment' }]);
    const { containers } = document.components.schemas['io.k8s.api.core.v1.PodSpec'].properties;
    expect(containers).toMatchObject({
      'x-kubernetes-patch-merge-key': 'name',
      items: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
    });
  });

  test('describes custom resources with the metadata of all objects, and offers them no strategic merge', () => {
    const own = new SchemaRegistry();
    own.registerCustom(custom, {
      type: 'object',
      description: 'A thing.',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } } }, metadata: { type: 'object' } },
    });
    const document = asWire(openApiV3Document('example.org/v1', [custom], own));
    expect(document.components.schemas['org.example.v1.Thing']).toMatchObject({
      description: 'A thing.',
      properties: {
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        spec: { properties: { a: { type: 'string' } } },
      },
    });
    const { patch } = document.paths['/apis/example.org/v1/namespaces/{namespace}/things/{name}'];
    expect(Object.keys(patch.requestBody.content)).not.toContain('application/strategic-merge-patch+json');
  });
});

describe('OpenAPI v2', () => {
  test('has definitions alone, complete', () => {
    const document = asWire(openApiV2Document(apps, registry));
    const known = new Set(Object.keys(document.definitions).map((name) => `#/definitions/${name}`));
    expect(referencesIn(document).filter((reference) => !known.has(reference))).toEqual([]);
    expect(document.swagger).toBe('2.0');
  });
});
