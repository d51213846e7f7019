import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ErrorDetail } from '../../apis/http/types.generated.ts';
import { isOptionalBody, type ApiDocument } from './api-document.ts';
import { fieldErrors } from './field-errors.ts';
import type { Operation, ParameterSpec } from './operation.ts';
import { pathParametersOf, queryParametersOf } from './parameters.ts';
import type { Schema } from './schema.ts';

/** What came in, parsed and checked, or every failing field. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly details: readonly ErrorDetail[] };

/** Checks one operation's requests against its description. Each part is compiled at its first use. */
export interface RequestValidator {
  path(given: Readonly<Record<string, unknown>>): Checked<Readonly<Record<string, unknown>>>;
  query(search: URLSearchParams): Checked<Readonly<Record<string, unknown>>>;
  body(given: unknown): Checked<unknown>;
}

const COMPONENTS_ID = 'components';

/**
 * A compiler for the schemas of all operations. The component schemas are one document that the others refer to: as a part of
 * each of them they would be traversed 200 times, which takes half a second at every start. The schemas are constants and a
 * test validates them against the meta-schema, so nothing does at run time.
 */
export function schemaCompiler(schemas: ApiDocument['schemas']): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    allowUnionTypes: true,
    meta: false,
    validateSchema: false,
  });
  ajv.addVocabulary(['components']);
  addFormats.default(ajv);
  ajv.addSchema({ $id: COMPONENTS_ID, components: { schemas } });
  return (schema) => ajv.compile(withResolvedRefs(schema));
}

/** The schema with its references to components resolved against their document. */
function withResolvedRefs<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withResolvedRefs) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => [
    key,
    key === '$ref' && typeof value === 'string' ? `${COMPONENTS_ID}${value}` : withResolvedRefs(value),
  ]);
  return Object.fromEntries(entries) as T;
}

export function requestValidator(
  operation: Operation,
  schemas: ApiDocument['schemas'],
  compile: (schema: Schema) => ValidateFunction,
): RequestValidator {
  const queryParameters = queryParametersOf(operation);
  const pathValidator = once(() => compile(parametersSchema(pathParametersOf(operation))));
  const queryValidator = once(() => compile(parametersSchema(queryParameters)));
  const bodyValidator = once(() => compile(operation.body ?? { type: 'object', properties: {}, additionalProperties: false }));
  return {
    path: (given) => check(pathValidator(), given, (pointer) => `path.${segments(pointer)[0] ?? ''}`),
    query: (search) => {
      const given = readQuery(queryParameters, search);
      // What could not be read as its type stays text, and the schema says so.
      return check(queryValidator(), given, (pointer) => `query.${segments(pointer)[0] ?? ''}`);
    },
    body: (given) => {
      if (given === undefined && isOptionalBody(operation, schemas))
        return { ok: true, value: operation.body === undefined ? undefined : {} };
      if (given === undefined) return { ok: false, details: [{ path: '', message: 'is required, as JSON' }] };
      return check(bodyValidator(), given, (pointer) => pointer);
    },
  };
}

/** The value, made at the first call. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function check<T>(validate: ValidateFunction, value: T, locate: (pointer: string) => string): Checked<T> {
  if (validate(value)) return { ok: true, value };
  return { ok: false, details: fieldErrors(validate.errors ?? [], locate) };
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
    // A single value that comes twice is not the caller's meaning, whichever was taken.
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
