// A structural OpenAPI v3 schema, in the form of CRDs, which also describes the built-in kinds.

export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  /** Built-ins only: another named schema. */
  readonly $ref?: string;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
  /** Strategic merge, built-ins only. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Looks up a named schema; undefined when there is none. */
export type SchemaResolver = (name: string) => StructuralSchema | undefined;

/** The schema of an unknown reference: any value is valid. */
const OPEN: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Follows `$ref` to the schema of the value. Siblings of the reference (default, merge key) belong to the caller. */
export function dereference(schema: StructuralSchema, resolve: SchemaResolver): StructuralSchema {
  let at = schema;
  while (at.$ref !== undefined) at = resolve(at.$ref) ?? OPEN;
  return at;
}

/** Schema of one field of an object: its property, else that of the map's values, else undefined (undeclared). */
export function fieldSchema(object: StructuralSchema, name: string): StructuralSchema | undefined {
  if (object.properties !== undefined && Object.hasOwn(object.properties, name)) return object.properties[name];
  return typeof object.additionalProperties === 'object' ? object.additionalProperties : undefined;
}

/** The object accepts undeclared fields. */
export function isPreservingUnknownFields(object: StructuralSchema): boolean {
  return object['x-kubernetes-preserve-unknown-fields'] === true || object.additionalProperties === true;
}
