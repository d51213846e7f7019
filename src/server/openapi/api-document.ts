// One API as data, from which `openapi.json` and the reference page are rendered and requests are validated; tests check answers against
// it.

import { isMutation, type Operation, type OperationSpec, type ParameterSpec } from './operation.ts';
import { pathParametersOf, queryParametersOf } from './parameters.ts';
import { array, boolean, integer, number, object, ref, string, time, type Schema } from './schema.ts';

/** One API: its endpoints, their records and its path. */
export interface ApiDocument {
  readonly title: string;
  readonly description: string;
  /** Prefix of each operation's path. */
  readonly basePath: string;
  /** Endpoint that lists what a server that is not ready waits for; null: none. */
  readonly statusPath: string | null;
  readonly operations: readonly Operation[];
  /** Records referenced by operations, by name. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Meaning of each error status, in Markdown. */
  readonly errorResponses: Readonly<Record<string, string>>;
}

const META_FIELDS: Readonly<Record<string, Schema>> = {
  total: integer('Items that matched before paging; 1 for one object, 0 for none.'),
  timestamp: time('Current time of the cluster clock.'),
  requestId: string('Same as header X-Request-Id.'),
  nextCursor: string('Cursor of the next page; absent on the last page.'),
  cachedAt: time('When the cached answer was computed.'),
  dataAge: number('Seconds since informers and usage source last confirmed the served data.'),
  stale: boolean('True once dataAge passes 120 s.'),
  warnings: array(ref('Warning')),
  dryRun: boolean('True: validated only, nothing was changed.'),
};
const OPTIONAL_META = ['nextCursor', 'cachedAt', 'dataAge', 'stale', 'warnings', 'dryRun'];

/** Schema of `meta`, with the operation's summary where it has one. */
export function metaSchema(summary?: Schema): Schema {
  return object({ ...META_FIELDS, ...(summary === undefined ? {} : { summary }) }, undefined, OPTIONAL_META);
}

/** Schema of a successful JSON answer: the envelope around `data`. */
export function envelopeSchema(operation: OperationSpec): Schema {
  return object({ data: operation.answer.data, meta: metaSchema(operation.answer.summary) });
}

/** Schema of every error answer. */
export const ERROR_ENVELOPE: Schema = object({ data: { type: 'null' }, meta: metaSchema(), error: ref('Error') });

const header = (name: string, description: string): Readonly<Record<string, object>> => ({ [name]: { description, schema: string() } });
const REQUEST_ID = header('X-Request-Id', 'Same as `meta.requestId`.');
const ETAG = header('ETag', 'For `If-None-Match`, and for `If-Match` of the object’s mutations.');
const NEXT_CURSOR = header('X-Next-Cursor', 'With `format=csv`: same as `meta.nextCursor` of the JSON; absent on the last page.');
const RETRY_AFTER = header('Retry-After', 'Seconds to wait.');
const ERROR_HEADERS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  '405': header('Allow', 'Methods served at this path.'),
  '429': RETRY_AFTER,
  '503': RETRY_AFTER,
};

/** The OpenAPI 3.1 description. @param version of the product */
export function openApiDescription(api: ApiDocument, version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of api.operations) {
    (paths[operation.path] ??= {})[operation.method] = describeOperation(operation, api.schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version,
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: api.basePath }],
    tags: [...new Set(api.operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...api.schemas, Meta: metaSchema(), ErrorEnvelope: ERROR_ENVELOPE },
      responses: Object.fromEntries(
        Object.entries(api.errorResponses).map(([status, description]) => [
          `Error${status}`,
          {
            description,
            headers: { ...REQUEST_ID, ...ERROR_HEADERS[status] },
            content: { 'application/json': { schema: ref('ErrorEnvelope') } },
          },
        ]),
      ),
    },
  };
}

function describeOperation(operation: Operation, schemas: ApiDocument['schemas']): Readonly<Record<string, unknown>> {
  const { answer } = operation;
  const schema = answer.raw === undefined ? envelopeSchema(operation) : answer.data;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.title,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    'x-evenkeel-access': operation.access,
    parameters: [...pathParametersOf(operation), ...queryParametersOf(operation), ...headersOf(operation)].map(describeParameter),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: !isOptionalBody(operation, schemas), content: { 'application/json': { schema: operation.body } } } }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: {
          ...REQUEST_ID,
          ...(operation.method === 'get' && answer.raw !== 'text/event-stream' ? ETAG : {}),
          ...(operation.list === undefined ? {} : NEXT_CURSOR),
        },
        content: {
          [answer.raw ?? 'application/json']: { schema },
          ...(operation.list === undefined ? {} : { 'text/csv': { schema: string() } }),
        },
      },
      ...(operation.method === 'get'
        ? { '304': { description: 'Not modified since the ETag in If-None-Match.', headers: { ...REQUEST_ID, ...ETAG } } }
        : {}),
      ...Object.fromEntries(errorsOf(operation).map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
    },
  };
}

/** A body may be omitted where each of its fields is optional. */
export function isOptionalBody(operation: OperationSpec, schemas: ApiDocument['schemas']): boolean {
  if (operation.body === undefined) return true;
  const name = operation.body.$ref?.split('/').at(-1);
  const schema = name === undefined ? operation.body : schemas[name];
  return (schema?.required ?? []).length === 0 && (schema?.minProperties ?? 0) === 0;
}

function headersOf(operation: Operation): readonly HeaderSpec[] {
  if (!isMutation(operation))
    return [{ name: 'If-None-Match', in: 'header', description: 'Answers 304 where the ETag still matches.', schema: string() }];
  return [
    ...(operation.takesIfMatch
      ? [
          {
            name: 'If-Match',
            in: 'header',
            description: 'ETag of the object’s GET; 409 where the object has changed since.',
            schema: string(),
          } as const,
        ]
      : []),
    ...(operation.method === 'post'
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'The same request with the same key within 24 hours is not carried out twice; another body with it is a 409.',
            schema: string(),
          } as const,
        ]
      : []),
  ];
}

interface HeaderSpec extends Omit<ParameterSpec, 'in'> {
  readonly in: 'header';
}

function describeParameter(parameter: ParameterSpec | HeaderSpec): Readonly<Record<string, unknown>> {
  const repeated = parameter.schema.type === 'array' ? { style: 'form', explode: true } : {};
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required === true,
    description: parameter.description,
    schema: parameter.schema,
    ...repeated,
  };
}

function errorsOf(operation: OperationSpec): readonly string[] {
  const always = ['400', '401', '403', '405', '429', '500', '503'];
  const named = operation.path.includes('{') ? ['404', '409'] : [];
  const mutation = isMutation(operation) ? ['404', '409', '413', '415', '422'] : [];
  return [...new Set([...always, ...named, ...mutation])].sort();
}
