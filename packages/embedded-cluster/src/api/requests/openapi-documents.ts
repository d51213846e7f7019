import { createHash } from 'node:crypto';
import { openApiV2Document, openApiV3Document, openApiV3Index } from '../../schema/published/openapi.ts';
import type { SchemaRegistry } from '../../schema/schema-registry.ts';
import { groupVersion, type ServedResources } from '../resources/served-resources.ts';

/** OpenAPI documents of the served resources, each generated on demand and cached until a resource is added or removed. */
export class OpenApiDocuments {
  readonly #resources: ServedResources;
  readonly #schemas: SchemaRegistry;
  #documents = new Map<string, object>();
  #generation = -1;

  constructor(resources: ServedResources, schemas: SchemaRegistry) {
    this.#resources = resources;
    this.#schemas = schemas;
  }

  v3Index(): object {
    const served = [...this.#resources.groups()];
    const names = served.flatMap(([group, versions]) => versions.map((version) => groupVersion(group, version)));
    // Only adding or removing a resource changes documents; a schema change does both.
    const hash = createHash('sha256')
      .update(`${this.#resources.generation} ${names.join(' ')}`)
      .digest('hex')
      .toUpperCase();
    return openApiV3Index(names, hash);
  }

  /** undefined for a group version that is not served. */
  v3(group: string, version: string): object | undefined {
    const served = this.#resources.of(group, version);
    if (served.length === 0) return undefined;
    const descriptors = served.map(({ descriptor }) => descriptor);
    const name = groupVersion(group, version);
    return this.#getCached(name, () => openApiV3Document(name, descriptors, this.#schemas));
  }

  v2(): object {
    const descriptors = [...this.#resources.all()].map(({ descriptor }) => descriptor);
    return this.#getCached('', () => openApiV2Document(descriptors, this.#schemas));
  }

  #getCached(name: string, make: () => object): object {
    if (this.#generation !== this.#resources.generation) {
      this.#documents = new Map();
      this.#generation = this.#resources.generation;
    }
    const kept = this.#documents.get(name) ?? make();
    this.#documents.set(name, kept);
    return kept;
  }
}
