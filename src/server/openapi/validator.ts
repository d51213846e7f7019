import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ErrorDetail } from '../../apis/http/types.generated.ts';
import { isOptionalBody, type ApiDocument } from './api-document.ts';
import { fieldErrors } from './field-errors.ts';
import type { Operation, ParameterSpec } from './operation.ts';
import { pathParametersOf, queryParametersOf } from './parameters.ts';
import type { Schema } from './schema.ts';

/** A parsed and validated input, or every invalid field. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly details: readonly ErrorDetail[] };

/** Validates requests of one operation. Each part is compiled at its first use. */
export interface RequestValidator {
  path(given: Readonly<Record<string, unknown>>): Checked<Readonly<Record<string, unknown>>>;
  query(search: URLSearchParams): Checked<Readonly<Record<string, unknown>>>;
  body(given: unknown): Checked<unknown>;
}

/**
 * Maximum values of a body that is validated completely; 500 bulk items have about a fifth. For larger bodies only the first error is
 * reported.
 */
export const MAX_CHECKED_VALUES = 50_000;

/** Compiles validators, which report every error or only the `first`. */
export type SchemaCompiler = (schema: Schema, errors?: 'every' | 'first') => ValidateFunction;

/**
 * A compiler for the schemas of all operations. References are inlined: a nested validator copies all previous errors at each call, so a
 * list of 1 MiB would take minutes. Schemas are constants that a test validates against the meta-schema, so this is skipped at runtime.
 */
export function schemaCompiler(schemas: ApiDocument['schemas']): SchemaCompiler {
  const withAllErrors = once(() => newAjv({ allErrors: true }));
  const withFirstError = once(() => newAjv({ allErrors: false }));
  return (schema, errors = 'every') => (errors === 'every' ? withAllErrors : withFirstError)().compile(withoutRefs(schema, schemas));
}

function newAjv(options: { readonly allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    verbose: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    allowUnionTypes: true,
    meta: false,
    validateSchema: false,
  });
  addFormats.default(ajv);
  return ajv;
}

/** Inlines references. Components are not recursive. */
export function withoutRefs<T>(schema: T, schemas: ApiDocument['schemas']): T {
  if (Array.isArray(schema)) return schema.map((each: unknown) => withoutRefs(each, schemas)) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema as Schema;
  if ($ref !== undefined) {
    const component = schemas[$ref.split('/').at(-1) ?? ''];
    if (component === undefined) throw new Error(`there is no component ${$ref}`);
    return withoutRefs({ ...component, ...rest }, schemas) as T;
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]: [string, unknown]) => [key, withoutRefs(value, schemas)])) as T;
}

/** Creates the validator of one operation's path, query and body. */
export function requestValidator(operation: Operation, schemas: ApiDocument['schemas'], compile: SchemaCompiler): RequestValidator {
  const queryParameters = queryParametersOf(operation);
  const pathValidator = once(() => compile(parametersSchema(pathParametersOf(operation))));
  const queryValidator = once(() => compile(parametersSchema(queryParameters)));
  const bodySchema = operation.body ?? { type: 'object', properties: {}, additionalProperties: false };
  const bodyValidator = once(() => compile(bodySchema));
  const largeBodyValidator = once(() => compile(bodySchema, 'first'));
  return {
    path: (given) => check(pathValidator(), given, (pointer) => `path.${segments(pointer)[0] ?? ''}`),
    query: (search) => {
      const given = readQuery(queryParameters, search);
      // A value that does not parse stays a string, which the schema then rejects.
      return check(queryValidator(), given, (pointer) => `query.${segments(pointer)[0] ?? ''}`);
    },
    body: (given) => {
      if (given === undefined && isOptionalBody(operation, schemas))
        return { ok: true, value: operation.body === undefined ? undefined : {} };
      if (given === undefined) return { ok: false, details: [{ path: '', message: 'is required, as JSON' }] };
      const isLarge = hasMoreValues(given, MAX_CHECKED_VALUES);
      return check((isLarge ? largeBodyValidator : bodyValidator)(), given, (pointer) => pointer);
    },
  };
}

/** Validates values against one schema; a detail's path is a JSON Pointer into the value. */
export function valueValidator(schema: Schema, compile: SchemaCompiler): (given: unknown) => Checked<unknown> {
  const [complete, firstError] = [once(() => compile(schema)), once(() => compile(schema, 'first'))];
  return (given) => check((hasMoreValues(given, MAX_CHECKED_VALUES) ? firstError : complete)(), given, (pointer) => pointer);
}

/** Memoizes `make`. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function check<T>(validate: ValidateFunction, value: T, locate: (pointer: string) => string): Checked<T> {
  if (validate(value)) return { ok: true, value };
  return { ok: false, details: fieldErrors(validate.errors ?? [], locate) };
}

/** Whether JSON has more than `limit` values, including lists and objects; stops counting there. */
export function hasMoreValues(json: unknown, limit: number): boolean {
  const open: unknown[] = [json];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    count += 1;
    const children: readonly unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
    if (count + open.length + children.length > limit) return true;
    for (const child of children) open.push(child);
  }
  return false;
}

function parametersSchema(parameters: readonly ParameterSpec[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
    required: parameters.filter((parameter) => parameter.required === true).map((parameter) => parameter.name),
    additionalProperties: false,
  };
}

function readQuery(parameters: readonly ParameterSpec[], search: URLSearchParams): Record<string, unknown> {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const given: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const parameter of parameters) {
    if (parameter.schema.default !== undefined) given[parameter.name] = parameter.schema.default;
  }
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const schema = byName.get(name)?.schema;
    if (schema?.type === 'array') given[name] = values.map((value) => readValue(schema.items ?? {}, value));
    // A repeated single-value parameter is ambiguous, so the schema rejects the list.
    else given[name] = values.length > 1 ? values : readValue(schema ?? {}, values[0] ?? '');
  }
  return given;
}

function readValue(schema: Schema, text: string): unknown {
  if (schema.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function segments(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
