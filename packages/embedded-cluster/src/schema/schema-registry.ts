import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import { findPublished } from './published/published-schemas.ts';
import { structuralForm } from './structural-form.ts';
import type { SchemaResolver, StructuralSchema } from './structural-schema.ts';

/**
 * Every schema that the embedded API server knows: the built-in kinds' by name, and those of custom resources by the
 * resource that they describe.
 */
export class SchemaRegistry {
  /** Structural forms of the built-in schemas that were asked for. */
  readonly #builtins = new Map<string, StructuralSchema>();
  readonly #custom = new Map<string, StructuralSchema>();

  /** The schema of a built-in type (`io.k8s.api.core.v1.Pod`). */
  resolve(name: string): StructuralSchema | undefined {
    const known = this.#builtins.get(name);
    if (known !== undefined) return known;
    const published = findPublished(name);
    if (published === undefined) return undefined;
    const schema = structuralForm(name, published);
    this.#builtins.set(name, schema);
    return schema;
  }

  /** `resolve`, bound, for code that walks a schema. */
  readonly resolver: SchemaResolver = (name) => this.resolve(name);

  /**
   * The schema of a resource's objects: a reference for built-in kinds (walkers follow it), the schema itself for custom
   * resources; undefined where nothing is known, and then anything goes.
   */
  schemaFor(descriptor: ResourceDescriptor): StructuralSchema | undefined {
    const custom = this.#custom.get(customKey(descriptor));
    if (custom !== undefined) return custom;
    return this.resolve(descriptor.schemaName) === undefined ? undefined : { $ref: descriptor.schemaName };
  }

  /** Makes a custom resource's schema known, or replaces it. */
  registerCustom(descriptor: ResourceDescriptor, schema: StructuralSchema): void {
    this.#custom.set(customKey(descriptor), schema);
  }

  unregisterCustom(descriptor: ResourceDescriptor): void {
    this.#custom.delete(customKey(descriptor));
  }
}

function customKey(descriptor: ResourceDescriptor): string {
  return `${descriptor.group}/${descriptor.version}/${descriptor.plural}`;
}
