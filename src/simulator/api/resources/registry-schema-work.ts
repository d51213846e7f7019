import { applyDefaults } from '../../schema/defaults.ts';
import { prune } from '../../schema/prune.ts';
import type { SchemaRegistry } from '../../schema/schema-registry.ts';
import { validateAgainst } from '../../schema/validate.ts';
import { evaluateRules } from '../../schema/cel.ts';
import { strategicMerge } from '../../patch/strategic-merge.ts';
import { serverSideApply, trackUpdate } from '../../patch/apply.ts';
import type { FieldError } from '../api-error.ts';
import type { KubeObject, ManagedFieldsEntry } from '../kube-object.ts';
import type { ResourceDescriptor } from '../resource-descriptor.ts';
import type { ApplyOutcome, ManagedBy, SchemaWork } from './schema-work.ts';

/** A resource that nobody described: anything goes. */
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** SchemaWork by the schemas of a registry. */
export class RegistrySchemaWork implements SchemaWork {
  readonly #registry: SchemaRegistry;

  constructor(registry: SchemaRegistry) {
    this.#registry = registry;
  }

  prune(descriptor: ResourceDescriptor, draft: KubeObject): readonly string[] {
    const schema = this.#registry.schemaFor(descriptor);
    return schema === undefined ? [] : prune(schema, draft, this.#registry.resolver);
  }

  applyDefaults(descriptor: ResourceDescriptor, draft: KubeObject): void {
    const schema = this.#registry.schemaFor(descriptor);
    if (schema !== undefined) applyDefaults(schema, draft, this.#registry.resolver);
  }

  validate(descriptor: ResourceDescriptor, object: KubeObject, old: KubeObject | null): readonly FieldError[] {
    const schema = this.#registry.schemaFor(descriptor);
    if (schema === undefined) return [];
    const errors = validateAgainst(schema, object, this.#registry.resolver);
    // Rules may take for granted what the schema says: they run on what is valid otherwise. Built-in kinds have none.
    return errors.length > 0 || schema.$ref !== undefined ? errors : evaluateRules(schema, object, old, this.#registry.resolver);
  }

  strategicMerge(descriptor: ResourceDescriptor, current: KubeObject, patch: Readonly<Record<string, unknown>>): unknown {
    return strategicMerge(this.#registry.schemaFor(descriptor) ?? ANYTHING, current, patch, this.#registry.resolver);
  }

  serverSideApply(
    descriptor: ResourceDescriptor,
    live: KubeObject | null,
    applied: KubeObject,
    by: ManagedBy & { readonly force: boolean },
  ): ApplyOutcome {
    const outcome = serverSideApply({
      ...by,
      schema: this.#registry.schemaFor(descriptor) ?? ANYTHING,
      resolve: this.#registry.resolver,
      live: live ?? undefined,
      applied,
      hasStatusSubresource: descriptor.subresources.includes('status'),
    });
    return 'conflicts' in outcome ? { kind: 'conflict', conflicts: outcome.conflicts } : { kind: 'applied', object: outcome.object };
  }

  trackUpdate(descriptor: ResourceDescriptor, old: KubeObject | null, object: KubeObject, by: ManagedBy): ManagedFieldsEntry[] {
    const schema = this.#registry.schemaFor(descriptor) ?? ANYTHING;
    return trackUpdate({ ...by, schema, resolve: this.#registry.resolver, old: old ?? undefined, object });
  }
}
