// The API described to its clients: what `kubectl explain` prints, and where kubectl finds out that a kind takes field
// validation and strategic merge patches.

import type { ResourceDescriptor } from '../../api/resource-descriptor.ts';
import { pathsOfResource } from './openapi-paths.ts';
import { COMPONENTS, referredName, type PublishedSchema } from './published-schema.ts';
import { publishedCustom, publishedList } from './published-custom.ts';
import { findPublished } from './published-schemas.ts';
import type { SchemaRegistry } from '../schema-registry.ts';

type Json = Record<string, unknown>;

const TITLE = { title: 'Kubernetes', version: 'v1.36.0+evenkeel' };

/**
 * `/openapi/v3`: where the document of each group and version (`v1`, `apps/v1`) is. The hash changes whenever a document may
 * have: clients keep documents by it.
 */
export function openApiV3Index(groupVersions: readonly string[], hash: string): Json {
  const paths: Json = {};
  for (const groupVersion of groupVersions) {
    const path = rootPath(groupVersion);
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return { paths };
}

/** The OpenAPI 3.0 document of one group and version, with every schema that its kinds refer to. */
export function openApiV3Document(groupVersion: string, descriptors: readonly ResourceDescriptor[], registry: SchemaRegistry): Json {
  const document = new SchemaDocument(registry);
  const paths: Json = {};
  for (const descriptor of descriptors) {
    document.addResource(descriptor);
    const schemaReference = `${COMPONENTS}${descriptor.schemaName}`;
    const isBuiltIn = findPublished(descriptor.schemaName) !== undefined;
    Object.assign(paths, pathsOfResource(`/${rootPath(groupVersion)}`, { descriptor, schemaReference, isBuiltIn }));
  }
  return { openapi: '3.0.0', info: TITLE, paths, components: { schemas: document.finish() } };
}

/** The Swagger 2.0 document of all resources, definitions alone: enough for clients that know no other. */
export function openApiV2Document(descriptors: readonly ResourceDescriptor[], registry: SchemaRegistry): Json {
  const document = new SchemaDocument(registry);
  for (const descriptor of descriptors) document.addResource(descriptor);
  return { swagger: '2.0', info: TITLE, paths: {}, definitions: definitionsOf(document.finish()) };
}

function rootPath(groupVersion: string): string {
  return groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;
}

/** Collects schemas, each with those that it refers to. */
class SchemaDocument {
  readonly #registry: SchemaRegistry;
  readonly #schemas = new Map<string, PublishedSchema>();

  constructor(registry: SchemaRegistry) {
    this.#registry = registry;
  }

  addResource(descriptor: ResourceDescriptor): void {
    const { listKind, schemaName } = descriptor;
    const published = findPublished(schemaName);
    this.#add(schemaName, published ?? publishedCustom(descriptor, this.#registry.schemaFor(descriptor)));
    const listName = schemaName.slice(0, schemaName.lastIndexOf('.') + 1) + listKind;
    if (published === undefined || descriptor.verbs.includes('list'))
      this.#add(listName, findPublished(listName) ?? publishedList(descriptor));
  }

  finish(): Record<string, PublishedSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, schema: PublishedSchema): void {
    this.#schemas.set(name, schema);
    for (const referred of referencesOf(schema))
      if (!this.#schemas.has(referred)) this.#add(referred, findPublished(referred) ?? { type: 'object' });
  }
}

function referencesOf(schema: PublishedSchema): string[] {
  const name = referredName(schema);
  const { properties = {}, items, additionalProperties } = schema;
  const parts = [...Object.values(properties), items, typeof additionalProperties === 'object' ? additionalProperties : undefined];
  return [...(name === undefined ? [] : [name]), ...parts.flatMap((part) => (part === undefined ? [] : referencesOf(part)))];
}

/** As Swagger 2.0 has it: a reference with facts beside it, and no choice of types. */
function asDefinition(schema: PublishedSchema): Json {
  const { $ref: _ref, allOf: _allOf, oneOf, properties, items, additionalProperties, ...rest } = schema;
  const name = referredName(schema);
  return {
    ...rest,
    ...(name === undefined ? {} : { $ref: `#/definitions/${name}` }),
    ...(oneOf !== undefined && schema.type === undefined ? { type: 'string' } : {}),
    ...(properties === undefined ? {} : { properties: definitionsOf(properties) }),
    ...(items === undefined ? {} : { items: asDefinition(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: typeof additionalProperties === 'object' ? asDefinition(additionalProperties) : additionalProperties }),
  };
}

function definitionsOf(schemas: Readonly<Record<string, PublishedSchema>>): Json {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, asDefinition(schema)]));
}
