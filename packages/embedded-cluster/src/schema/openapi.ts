// OpenAPI documents for clients: the text of `kubectl explain`, and the kinds that support field validation and strategic merge patches.

import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import { pathsOfResource } from './openapi-paths.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { dereference } from './structural-schema.ts';

type Json = Record<string, unknown>;

const TITLE = { title: 'Kubernetes', version: 'v1.36.0+evenkeel' };
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

const API_VERSION: StructuralSchema = {
  type: 'string',
  description: 'Version of the schema of this object: group/version, or version alone for the core group.',
};
const KIND: StructuralSchema = { type: 'string', description: 'Kind of the object, in CamelCase.' };

/**
 * `/openapi/v3`: the paths of the documents by group and version (`v1`, `apps/v1`). The hash changes whenever a document may have changed:
 * clients cache documents by it.
 */
export function openApiV3Index(groupVersions: readonly string[], hash: string): Json {
  const paths: Json = {};
  for (const groupVersion of groupVersions) {
    const path = rootPath(groupVersion);
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return { paths };
}

/** The OpenAPI 3.0 document of one group and version, with every referenced schema. */
export function openApiV3Document(groupVersion: string, descriptors: readonly ResourceDescriptor[], registry: SchemaRegistry): Json {
  const document = new SchemaDocument(registry, '#/components/schemas/', 'allOf');
  const paths: Json = {};
  for (const descriptor of descriptors) {
    document.addResource(descriptor);
    const schemaReference = `#/components/schemas/${descriptor.schemaName}`;
    const isBuiltIn = registry.resolve(descriptor.schemaName) !== undefined;
    Object.assign(paths, pathsOfResource(`/${rootPath(groupVersion)}`, { descriptor, schemaReference, isBuiltIn }));
  }
  return { openapi: '3.0.0', info: TITLE, paths, components: { schemas: document.finish() } };
}

/** The Swagger 2.0 document of all resources, with definitions only: enough for clients without v3. */
export function openApiV2Document(descriptors: readonly ResourceDescriptor[], registry: SchemaRegistry): Json {
  const document = new SchemaDocument(registry, '#/definitions/', 'sibling');
  for (const descriptor of descriptors) document.addResource(descriptor);
  return { swagger: '2.0', info: TITLE, paths: {}, definitions: document.finish() };
}

function rootPath(groupVersion: string): string {
  return groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;
}

/** Collects schemas with the schemas that they reference. */
class SchemaDocument {
  readonly #registry: SchemaRegistry;
  readonly #base: string;
  readonly #references: 'allOf' | 'sibling';
  readonly #schemas = new Map<string, Json>();
  readonly #waiting: string[] = [];

  constructor(registry: SchemaRegistry, base: string, references: 'allOf' | 'sibling') {
    this.#registry = registry;
    this.#base = base;
    this.#references = references;
  }

  addResource(descriptor: ResourceDescriptor): void {
    const { group, version, kind, listKind, schemaName } = descriptor;
    const own = this.#registry.schemaFor(descriptor) ?? { type: 'object' };
    const root = dereference(own, this.#registry.resolver);
    const properties = { ...root.properties, apiVersion: API_VERSION, kind: KIND, metadata: { $ref: OBJECT_META, ...described(root) } };
    const schema = this.#convert({ ...root, properties });
    this.#schemas.set(schemaName, { ...schema, 'x-kubernetes-group-version-kind': [{ group, version, kind }] });
    const list: StructuralSchema = {
      type: 'object',
      description: `A list of ${kind} objects.`,
      required: ['items'],
      properties: {
        apiVersion: API_VERSION,
        kind: KIND,
        metadata: { $ref: LIST_META },
        items: { type: 'array', items: { $ref: schemaName } },
      },
    };
    const listName = schemaName.slice(0, schemaName.lastIndexOf('.') + 1) + listKind;
    this.#schemas.set(listName, { ...this.#convert(list), 'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }] });
  }

  finish(): Json {
    for (let name = this.#waiting.pop(); name !== undefined; name = this.#waiting.pop()) {
      if (this.#schemas.has(name)) continue;
      const schema = this.#registry.resolve(name);
      if (name === QUANTITY) this.#schemas.set(name, QUANTITY_SCHEMA);
      else this.#schemas.set(name, schema === undefined ? { type: 'object' } : this.#convert(schema));
    }
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #convert(schema: StructuralSchema): Json {
    if (schema.$ref !== undefined) return this.#reference(schema.$ref, schema);
    if (schema.format === 'quantity') return this.#reference(QUANTITY, schema);
    // `uniqueItems` on lists of built-in kinds is an internal note for validation; clients would misinterpret it.
    const { properties, items, additionalProperties, uniqueItems: _, ...rest } = schema;
    const converted: Json = { ...rest };
    if (schema['x-kubernetes-int-or-string'] === true && schema.anyOf === undefined && this.#references === 'allOf')
      Object.assign(converted, { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] });
    if (properties !== undefined)
      converted['properties'] = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, this.#convert(property)]));
    if (items !== undefined) converted['items'] = this.#convert(items);
    if (additionalProperties !== undefined)
      converted['additionalProperties'] =
        typeof additionalProperties === 'object' ? this.#convert(additionalProperties) : additionalProperties;
    if (schema.type === undefined && schema['x-kubernetes-preserve-unknown-fields'] === true) converted['type'] = 'object';
    return converted;
  }

  #reference(name: string, schema: StructuralSchema): Json {
    this.#waiting.push(name);
    const { $ref: _, type: _type, format: _format, ...beside } = schema;
    const reference = { $ref: `${this.#base}${name}` };
    if (this.#references === 'sibling') return { ...beside, ...reference };
    return Object.keys(beside).length === 0 ? reference : { ...beside, allOf: [reference] };
  }
}

const QUANTITY_SCHEMA: Json = {
  description: 'A number with a suffix: 100m, 1.5, 2Gi, 500M.',
  oneOf: [{ type: 'string' }, { type: 'number' }],
};

function described(root: StructuralSchema): { description: string } {
  const own = root.properties?.['metadata']?.description;
  return { description: own ?? 'Metadata of every object: its name, labels and owner references.' };
}
