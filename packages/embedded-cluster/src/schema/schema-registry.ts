import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import { builtinSchemasJson } from './builtin-schemas.generated.ts';
import type { SchemaResolver, StructuralSchema } from './structural-schema.ts';

/** All schemas of the embedded API server: those of built-in kinds by name, and those of custom resources by resource. */
export class SchemaRegistry {
  #builtins: ReadonlyMap<string, StructuralSchema> | undefined;
  readonly #custom = new Map<string, StructuralSchema>();

  /** A named schema (`io.k8s.api.core.v1.Pod`). The built-in ones are parsed on first use. */
  resolve(name: string): StructuralSchema | undefined {
    this.#builtins ??= new Map(Object.entries(JSON.parse(builtinSchemasJson) as Record<string, StructuralSchema>));
    return this.#builtins.get(name) ?? this.#custom.get(name);
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
