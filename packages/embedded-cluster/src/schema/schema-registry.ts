import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import { findPublished } from './published/published-schemas.ts';
import { structuralForm } from './structural-form.ts';
import type { SchemaResolver, StructuralSchema } from './structural-schema.ts';

/** All schemas of the embedded API server: those of built-in kinds by name, and those of custom resources by resource. */
export class SchemaRegistry {
  /** Structural forms of the built-in schemas in use, each computed once. */
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

  /** `resolve`, bound, for code that traverses a schema. */
  readonly resolver: SchemaResolver = (name) => this.resolve(name);

  /**
   * The schema of a resource's objects: a reference for built-in kinds, the schema itself for custom resources; undefined when there is
   * none, and then any object is valid.
   */
  schemaFor(descriptor: ResourceDescriptor): StructuralSchema | undefined {
    const custom = this.#custom.get(customKey(descriptor));
    if (custom !== undefined) return custom;
    return this.resolve(descriptor.schemaName) === undefined ? undefined : { $ref: descriptor.schemaName };
  }

  /** Adds or replaces a custom resource's schema. */
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
