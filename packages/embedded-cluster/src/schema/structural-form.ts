// Converts published schemas into the form that validation, defaulting and patches use.

import { findRules } from './builtin-rules/builtin-rules.ts';
import type { FieldRules } from './builtin-rules/type-rules.ts';
import { referredName, type PublishedSchema } from './published/published-schema.ts';
import { findPublished } from './published/published-schemas.ts';
import type { StructuralSchema } from './structural-schema.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const TIME: StructuralSchema = { type: 'string', format: 'date-time' };

/** Types without fields, inlined wherever a field has them. */
const SCALARS: ReadonlyMap<string, StructuralSchema> = new Map<string, StructuralSchema>([
  [`${META}.Time`, TIME],
  [`${META}.MicroTime`, TIME],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', { type: 'string', format: 'quantity' }],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', { 'x-kubernetes-int-or-string': true }],
]);
const ANY_OBJECT: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const ANYTHING: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };
/** Types of any JSON value. `RawExtension` is published as an object, but accepts a value of any type. */
const OPEN_TYPES: ReadonlyMap<string, StructuralSchema> = new Map([
  [`${META}.FieldsV1`, ANY_OBJECT],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', ANYTHING],
]);

/** Types with required fields that the server defaults or never checks. */
const UNCHECKED =
  /(?:Status|Condition|State\w*|Conditions|Details|Series|EventSource|NodeSystemInfo|AttachedVolume|ContainerImage|DaemonEndpoint)$/;

/** The structural schema of a published one, with the rules that only Kubernetes' code has. */
export function structuralForm(name: string, published: PublishedSchema): StructuralSchema {
  const open = OPEN_TYPES.get(name);
  if (open !== undefined) return open;
  if (published.properties === undefined) return published.type === 'object' ? ANY_OBJECT : ANYTHING;
  const rules = findRules(name)?.fields ?? {};
  const required = requiredFields(name, published);
  const properties: Record<string, StructuralSchema> = {};
  for (const [field, schema] of Object.entries(published.properties))
    properties[field] = fieldForm(schema, rules[field] ?? {}, required.includes(field));
  const { description: _description, properties: _properties, required: _required, ...rest } = published;
  return { ...(rest as StructuralSchema), ...(required.length === 0 ? {} : { required }), properties };
}

/** Fields that a client must set. */
function requiredFields(name: string, published: PublishedSchema): readonly string[] {
  return [...(UNCHECKED.test(name) ? [] : (published.required ?? [])), ...(findRules(name)?.required ?? [])];
}

function fieldForm(published: PublishedSchema, rules: FieldRules, isRequired: boolean): StructuralSchema {
  const { items, isDefaultOmitted, ...known } = rules;
  const form = valueForm(published);
  const hasDefault = published.default !== undefined && !isRequired && isDefaultOmitted !== true && !isAbsenceHidden(published);
  return {
    ...form,
    ...(hasDefault ? { default: published.default } : {}),
    ...known,
    ...(items === undefined ? {} : { items: { ...form.items, ...items } }),
  };
}

/**
 * Go writes a field without `omitempty` even when it is not set, and publishes its zero value as default. The default of a struct with
 * required fields would cause errors about those fields, although the struct itself is missing.
 */
function isAbsenceHidden(published: PublishedSchema): boolean {
  const name = referredName(published);
  const type = name === undefined ? undefined : findPublished(name);
  return name !== undefined && type !== undefined && requiredFields(name, type).length > 0;
}

function valueForm(published: PublishedSchema): StructuralSchema {
  const { description: _description, default: _default, allOf: _allOf, $ref: _$ref, items, additionalProperties, ...rest } = published;
  const name = referredName(published);
  return {
    ...(rest as StructuralSchema),
    ...(name === undefined ? {} : (SCALARS.get(name) ?? { $ref: name })),
    ...(items === undefined ? {} : { items: valueForm(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: valueForm(additionalProperties) } : {}),
  };
}
