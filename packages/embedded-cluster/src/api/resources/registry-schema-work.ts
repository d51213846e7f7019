import { decodingFault } from '../../schema/decoding-fault.ts';
import { applyDefaults } from '../../schema/defaults.ts';
import { prune } from '../../schema/prune.ts';
import type { SchemaRegistry } from '../../schema/schema-registry.ts';
import { validateAgainst } from '../../schema/validate.ts';
import { evaluateRules, hasRules, ROOT } from '../../schema/cel/cel.ts';
import { strategicMerge } from '../../patch/strategic-merge.ts';
import { applyFaults, serverSideApply, trackUpdate } from '../../patch/apply.ts';
import type { FieldError } from '../api-error.ts';
import type { KubeObject, ManagedFieldsEntry } from '../kube-object.ts';
import type { ResourceDescriptor } from '../resource-descriptor.ts';
import type { ApplyOutcome, ManagedBy, SchemaWork } from './schema-work.ts';

/** The schema of a resource without one: any value is valid. */
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

const UNCHECKED_RULES: FieldError = {
  field: ROOT,
  type: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

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
    const isCustom = schema.$ref === undefined;
    const errors = validateAgainst(schema, object, this.#registry.resolver, isCustom ? (old ?? undefined) : undefined);
    if (!isCustom || !hasRules(schema)) return errors;
    // Rules may rely on the shape of an object, not on its values.
    if (errors.some(({ type }) => type !== 'FieldValueInvalid' && type !== 'FieldValueDuplicate')) return [...errors, UNCHECKED_RULES];
    return [...errors, ...evaluateRules(schema, object, old, this.#registry.resolver)];
  }

  decodingFault(descriptor: ResourceDescriptor, object: KubeObject): string | undefined {
    const schema = this.#registry.schemaFor(descriptor);
    return schema?.$ref === undefined ? undefined : decodingFault(schema, object, this.#registry.resolver);
  }

  applyFaults(descriptor: ResourceDescriptor, applied: KubeObject): readonly string[] {
    const schema = this.#registry.schemaFor(descriptor);
    return schema === undefined ? [] : applyFaults(schema, applied, this.#registry.resolver);
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
    if ('conflicts' in outcome) return { kind: 'conflict', conflicts: outcome.conflicts };
    return { kind: 'applied', object: outcome.object, nulls: outcome.nulls === true };
  }

  trackUpdate(descriptor: ResourceDescriptor, old: KubeObject | null, object: KubeObject, by: ManagedBy): ManagedFieldsEntry[] {
    const schema = this.#registry.schemaFor(descriptor) ?? ANYTHING;
    return trackUpdate({ ...by, schema, resolve: this.#registry.resolver, old: old ?? undefined, object });
  }
}
