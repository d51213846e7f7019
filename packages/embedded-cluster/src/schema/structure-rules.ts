// Rules for structural schemas in a CustomResourceDefinition, with the messages of the real server.

import { isObject } from '#kube/json';
import type { FieldError } from '../api/api-error.ts';
import { undefinedFields } from './cel/cel-fields.ts';
import { compileRule, evaluateRules } from './cel/cel.ts';
import { prune } from './prune.ts';
import { compileRe2 } from './cel/re2.ts';
import type { CelRule, StructuralSchema } from './structural-schema.ts';
import { quoteValue, validateAgainst } from './validate.ts';

const TYPES: ReadonlySet<string> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);
const SCALARS: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);
/** Keywords of JSON Schema that structural schemas do not allow. */
const UNSUPPORTED = ['$ref', 'additionalItems', 'definitions', 'dependencies', 'id', '$schema', 'patternProperties'];
/** Keywords of a value's structure, which are forbidden inside allOf, anyOf, oneOf and not. */
const STRUCTURE = [
  'description',
  'type',
  'default',
  'additionalProperties',
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
];
const REASONS: ReadonlySet<string> = new Set(['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate']);

type Loose = Readonly<Record<string, unknown>>;

/** All violations in the schema of a whole resource. `path` is its path in the definition. */
export function structureErrors(schema: StructuralSchema, path: string): FieldError[] {
  const check = new StructureCheck();
  if (schema.type !== 'object')
    check.add(`${path}.type`, 'FieldValueInvalid', `Invalid value: ${quoteValue(schema.type ?? '')}: must be object at the root`);
  check.node(schema, path, true);
  check.rootMetadata(schema, path);
  return check.errors;
}

class StructureCheck {
  readonly errors: FieldError[] = [];

  add(field: string, type: FieldError['type'], message: string): void {
    this.errors.push({ field, type, message });
  }

  node(schema: StructuralSchema, path: string, isRoot: boolean): void {
    this.#type(schema, path);
    this.#unsupported(schema, path);
    this.#list(schema, path);
    this.#default(schema, path);
    if (schema.pattern !== undefined && compileRe2(schema.pattern) === undefined)
      this.add(`${path}.pattern`, 'FieldValueInvalid', `Invalid value: ${quoteValue(schema.pattern)}: must be a valid regular expression`);
    this.#rules(schema, path, isRoot);
    this.#checkJunctions(schema, path);
    for (const [name, property] of Object.entries(schema.properties ?? {})) this.node(property, `${path}.properties[${name}]`, false);
    if (isObject(schema.items)) this.node(schema.items, `${path}.items`, false);
    if (isObject(schema.additionalProperties)) this.node(schema.additionalProperties, `${path}.additionalProperties`, false);
  }

  rootMetadata(schema: StructuralSchema, path: string): void {
    const metadata = schema.properties?.['metadata'];
    if (metadata === undefined) return;
    for (const name of Object.keys(metadata.properties ?? {})) {
      if (name !== 'name' && name !== 'generateName')
        this.add(
          `${path}.properties[metadata]`,
          'FieldValueForbidden',
          'Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
        );
    }
  }

  #type(schema: StructuralSchema, path: string): void {
    const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
    if (schema.type === undefined) {
      if (!isIntOrString && schema['x-kubernetes-preserve-unknown-fields'] !== true)
        this.add(`${path}.type`, 'FieldValueRequired', 'Required value: must not be empty for specified object fields');
      return;
    }
    if (!TYPES.has(schema.type)) {
      const choices = [...TYPES].sort().map(quoteValue).join(', ');
      this.add(`${path}.type`, 'FieldValueNotSupported', `Unsupported value: ${quoteValue(schema.type)}: supported values: ${choices}`);
    }
    if (isIntOrString) this.add(`${path}.type`, 'FieldValueForbidden', 'Forbidden: must be empty if x-kubernetes-int-or-string is true');
    if (schema.type === 'array' && schema.items === undefined)
      this.add(`${path}.items`, 'FieldValueRequired', 'Required value: must be specified');
    if (schema['x-kubernetes-embedded-resource'] === true && schema.type !== 'object')
      this.add(
        `${path}.type`,
        'FieldValueInvalid',
        `Invalid value: ${quoteValue(schema.type)}: must be object if x-kubernetes-embedded-resource is true`,
      );
  }

  #unsupported(schema: StructuralSchema, path: string): void {
    const loose = schema as Loose;
    for (const name of UNSUPPORTED)
      if (loose[name] !== undefined) this.add(`${path}.${name}`, 'FieldValueForbidden', `Forbidden: ${name} is not supported`);
    if (Array.isArray(loose['items']))
      this.add(`${path}.items`, 'FieldValueForbidden', 'Forbidden: items must be a schema object and not an array');
    if (schema.uniqueItems === true)
      this.add(
        `${path}.uniqueItems`,
        'FieldValueForbidden',
        'Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      );
    if (schema.additionalProperties === false)
      this.add(`${path}.additionalProperties`, 'FieldValueForbidden', 'Forbidden: additionalProperties cannot be set to false');
    if (schema.additionalProperties !== undefined && schema.properties !== undefined)
      this.add(
        `${path}.additionalProperties`,
        'FieldValueForbidden',
        'Forbidden: additionalProperties and properties are mutual exclusive',
      );
  }

  #list(schema: StructuralSchema, path: string): void {
    const listType = schema['x-kubernetes-list-type'];
    const keys = schema['x-kubernetes-list-map-keys'];
    if (listType !== undefined && schema.type !== 'array')
      this.add(
        `${path}.type`,
        'FieldValueInvalid',
        `Invalid value: ${quoteValue(schema.type ?? '')}: must be array if x-kubernetes-list-type is specified`,
      );
    if (listType === 'map') this.#mapKeys(schema.items, keys, path);
    else if (keys !== undefined)
      this.add(
        `${path}.x-kubernetes-list-map-keys`,
        'FieldValueInvalid',
        'Invalid value: "array": must be map if x-kubernetes-list-type is specified',
      );
    const items = schema.items;
    const isAtomic = items?.['x-kubernetes-list-type'] === 'atomic' || items?.['x-kubernetes-map-type'] === 'atomic';
    if (listType === 'set' && items !== undefined && !isAtomic && !SCALARS.has(items.type ?? 'string'))
      this.add(`${path}.items`, 'FieldValueInvalid', 'Invalid value: "object": items of a set must be scalar or atomic');
  }

  #mapKeys(items: StructuralSchema | undefined, keys: readonly string[] | undefined, path: string): void {
    if (keys === undefined || keys.length === 0) {
      this.add(
        `${path}.x-kubernetes-list-map-keys`,
        'FieldValueRequired',
        'Required value: must not be empty if x-kubernetes-list-type is map',
      );
      return;
    }
    for (const key of keys) {
      const property = items?.properties?.[key];
      const at = `${path}.items.properties[${key}]`;
      if (property === undefined)
        this.add(
          `${path}.x-kubernetes-list-map-keys`,
          'FieldValueInvalid',
          `Invalid value: ${quoteValue(key)}: entries must all be names of item properties`,
        );
      else if (!SCALARS.has(property.type ?? ''))
        this.add(
          `${at}.type`,
          'FieldValueInvalid',
          `Invalid value: ${quoteValue(property.type ?? '')}: must be a scalar type if parent array's x-kubernetes-list-type is map`,
        );
      else if (property.default === undefined && items?.required?.includes(key) !== true)
        this.add(
          `${at}.default`,
          'FieldValueRequired',
          'Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        );
    }
  }

  #default(schema: StructuralSchema, path: string): void {
    if (schema.default === undefined) return;
    const value: unknown = structuredClone(schema.default);
    for (const error of validateAgainst(schema, value, () => undefined))
      this.add(error.field === '' ? `${path}.default` : `${path}.default.${error.field}`, error.type, error.message);
    // Rules are evaluated on the default as written, without the defaults nested in it.
    for (const error of evaluateRules({ type: 'object', properties: { default: schema } }, { default: value }, undefined, () => undefined))
      this.add(`${path}.${error.field}`, error.type, error.message);
    if (prune(schema, value, () => undefined).length > 0)
      this.add(`${path}.default`, 'FieldValueInvalid', `Invalid value: ${quoteValue(schema.default)}: must not have unknown fields`);
  }

  #rules(schema: StructuralSchema, path: string, isRoot: boolean): void {
    (schema['x-kubernetes-validations'] ?? []).forEach((rule, index) =>
      this.#rule(rule, schema, `${path}.x-kubernetes-validations[${index}]`, isRoot),
    );
  }

  #rule(rule: CelRule, schema: StructuralSchema, path: string, isRoot: boolean): void {
    if ((rule.rule as string | undefined) === undefined || rule.rule.trim() === '') {
      this.add(`${path}.rule`, 'FieldValueRequired', 'Required value: rule is not specified');
      return;
    }
    if (rule.message?.includes('\n') === true)
      this.add(`${path}.message`, 'FieldValueInvalid', `Invalid value: ${quoteValue(rule.message)}: message must not contain line breaks`);
    if (rule.reason !== undefined && !REASONS.has(rule.reason)) {
      const choices = [...REASONS].map(quoteValue).join(', ');
      this.add(`${path}.reason`, 'FieldValueNotSupported', `Unsupported value: ${quoteValue(rule.reason)}: supported values: ${choices}`);
    }
    const compiled = compileRule(rule);
    const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
    const problems = compiled.ok ? undefinedFields(compiled.run.ast, schema, isResource) : [compiled.error];
    for (const why of problems)
      this.add(`${path}.rule`, 'FieldValueInvalid', `Invalid value: ${quoteValue(rule.rule)}: compilation failed: ERROR: ${why}`);
  }

  #checkJunctions(schema: StructuralSchema, path: string): void {
    for (const name of ['allOf', 'anyOf', 'oneOf'] as const)
      (schema[name] ?? []).forEach((part, index) => this.#valueOnly(part, schema, `${path}.${name}[${index}]`));
    if (schema.not !== undefined) this.#valueOnly(schema.not, schema, `${path}.not`);
  }

  /** A junction may only restrict values; its fields must be declared outside. */
  #valueOnly(part: StructuralSchema, outside: StructuralSchema, path: string): void {
    const loose = part as Loose;
    for (const name of STRUCTURE) {
      const isIntOrString = name === 'type' && outside['x-kubernetes-int-or-string'] === true;
      if (loose[name] !== undefined && !isIntOrString)
        this.add(`${path}.${name}`, 'FieldValueForbidden', 'Forbidden: must be empty to be structural');
    }
    for (const [name, property] of Object.entries(part.properties ?? {})) {
      const declared = outside.properties?.[name];
      if (declared === undefined)
        this.add(`${path}.properties[${name}]`, 'FieldValueRequired', 'Required value: must be specified outside as well');
      else this.#valueOnly(property, declared, `${path}.properties[${name}]`);
    }
    if (part.items !== undefined && outside.items !== undefined) this.#valueOnly(part.items, outside.items, `${path}.items`);
    this.#checkJunctions({ ...part, properties: outside.properties ?? {} }, path);
  }
}
