// Builders of JSON Schema 2020-12 that read like the described record. They return plain data.

/** A JSON Schema of the OpenAPI description. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | number | null)[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

type Extra = Omit<Schema, 'type' | 'properties' | 'items'>;

/** A reference to a component schema. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const string = (description?: string, extra: Extra = {}): Schema => ({ type: 'string', ...described(description), ...extra });
export const boolean = (description?: string): Schema => ({ type: 'boolean', ...described(description) });
export const integer = (description?: string, extra: Extra = {}): Schema => ({ type: 'integer', ...described(description), ...extra });
export const number = (description?: string, extra: Extra = {}): Schema => ({ type: 'number', ...described(description), ...extra });
/** A fraction, 0–1 unless described otherwise. */
export const ratio = (description?: string): Schema => number(description, { minimum: 0 });
export const oneOf = (values: readonly string[], description?: string): Schema => ({
  type: 'string',
  enum: values,
  ...described(description),
});
/** RFC 3339, UTC, milliseconds. */
export const time = (description?: string): Schema => string(description, { format: 'date-time' });
export const array = (items: Schema, description?: string, extra: Extra = {}): Schema => ({
  type: 'array',
  items,
  ...described(description),
  ...extra,
});
export const map = (values: Schema, description?: string, extra: Extra = {}): Schema => ({
  type: 'object',
  additionalProperties: values,
  ...described(description),
  ...extra,
});
/** Any JSON value. */
export const anything = (description?: string): Schema => ({ ...described(description) });
/** Any JSON object, whose content is defined elsewhere (a custom resource's spec). */
export const anyObject = (description?: string): Schema => ({ type: 'object', additionalProperties: true, ...described(description) });

/** An object with exactly these fields; those in `optional` may be omitted. */
export function object(properties: Readonly<Record<string, Schema>>, description?: string, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
    ...described(description),
  };
}

/** The schema or null, for unknown values. */
export function nullable(schema: Schema): Schema {
  if (typeof schema.type === 'string' && schema.enum === undefined) return { ...schema, type: [schema.type, 'null'] };
  if (typeof schema.type === 'string' && schema.enum !== undefined)
    return { ...schema, type: [schema.type, 'null'], enum: [...schema.enum, null] };
  const { description, ...rest } = schema;
  return { anyOf: [rest, { type: 'null' }], ...described(description) };
}

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}
